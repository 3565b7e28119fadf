package io.headgate.deploy.simulate.replay;

/// The core decided what it must not; the message says when and what.
public final class BrokenInvariantException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  BrokenInvariantException(long atMs, String what) {
    super("at %s ms: %s".formatted(atMs, what));
  }
}
