package io.headgate.agent.grpc;

import java.util.Optional;

/// Versions of the protocol between agents and schedulers: two that are next to each other speak
/// the older one.
final class Protocol {
  /// The newest that is spoken here.
  static final int VERSION = 1;

  private Protocol() {}

  /// Why a session cannot go on in the version that the scheduler says; empty: it can.
  ///
  /// @param own the newest that is spoken here, besides the one before
  /// @param said by the scheduler, for both
  static Optional<String> problem(int own, int said) {
    if (said >= own - 1 && said <= own) {
      return Optional.empty();
    }
    return Optional.of(
        "the scheduler answers in protocol %d, and this agent speaks %d and %d: upgrade %s"
            .formatted(said, own, own - 1, said > own ? "the agent" : "the schedulers first"));
  }
}
