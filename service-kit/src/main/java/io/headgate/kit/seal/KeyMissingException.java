package io.headgate.kit.seal;

import io.headgate.kit.lifecycle.CannotStartException;

/// The database has a data key that was encrypted by a key-encryption key which this process does
/// not have. Nothing is damaged: the right file repairs it.
public final class KeyMissingException extends CannotStartException {
  private static final long serialVersionUID = 1;

  public KeyMissingException(String message) {
    super(message);
  }
}
