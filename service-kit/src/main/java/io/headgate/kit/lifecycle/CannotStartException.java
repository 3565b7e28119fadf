package io.headgate.kit.lifecycle;

/// A cause outside of the program prevents its start, and only the operator can remove it. The
/// message is one sentence with the cause and the remedy.
public class CannotStartException extends IllegalStateException {
  private static final long serialVersionUID = 1;

  public CannotStartException(String message) {
    super(message);
  }

  public CannotStartException(String message, Throwable cause) {
    super(message, cause);
  }
}
