package io.headgate.kit.db;

import io.headgate.kit.lifecycle.CannotStartException;

/// There is no server at the address, or it does not let us in. The message says which and why, for
/// whoever starts the process.
public final class DatabaseUnreachableException extends CannotStartException {
  private static final long serialVersionUID = 1;

  DatabaseUnreachableException(String message, Throwable cause) {
    super(message, cause);
  }
}
