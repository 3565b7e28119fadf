package io.headgate.deploy.simulate.trace;

/// A line of a trace that cannot be used; the message says which line, why, and what is expected.
public final class TraceException extends Exception {
  private static final long serialVersionUID = 1L;

  public TraceException(String message) {
    super(message);
  }
}
