package io.headgate.agent.grpc;

/// The installation refuses this machine for good: another try would get the same answer. The
/// message says what an operator does about it.
final class JoinRefusedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  JoinRefusedException(String message) {
    super(message);
  }
}
