package io.headgate.deploy.simulate.replay;

/// A decision of the core broke a rule; the message says when and which.
public final class BrokenInvariantException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  BrokenInvariantException(long atMs, String what) {
    super("at %s ms: %s".formatted(atMs, what));
  }
}
