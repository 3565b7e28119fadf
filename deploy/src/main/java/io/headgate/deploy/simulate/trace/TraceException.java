package io.headgate.deploy.simulate.trace;

/// A line of a trace that cannot be used; the message says which, why, and what would do.
public final class TraceException extends Exception {
  private static final long serialVersionUID = 1L;

  /// A line that cannot be used.
  public TraceException(String message) {
    super(message);
  }
}
