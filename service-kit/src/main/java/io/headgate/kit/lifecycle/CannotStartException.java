package io.headgate.kit.lifecycle;

/// Something outside of the program keeps it from starting, and only who runs it can put that
/// right. The message is one sentence for that person: what is wrong, and what to do.
public class CannotStartException extends IllegalStateException {
  private static final long serialVersionUID = 1;

  public CannotStartException(String message) {
    super(message);
  }

  public CannotStartException(String message, Throwable cause) {
    super(message, cause);
  }
}
