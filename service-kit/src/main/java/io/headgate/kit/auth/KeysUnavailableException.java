package io.headgate.kit.auth;

/// The keys could not be fetched, so the validity of the token is unknown.
public final class KeysUnavailableException extends RuntimeException {
  private static final long serialVersionUID = 1;

  public KeysUnavailableException(Throwable cause) {
    super("the verification keys cannot be fetched", cause);
  }
}
