package io.headgate.kit.db;

import io.headgate.kit.lifecycle.CannotStartException;

/// No server answers at the address, or it refuses the login. The message states which and why, for
/// the operator.
public final class DatabaseUnreachableException extends CannotStartException {
  private static final long serialVersionUID = 1;

  DatabaseUnreachableException(String message, Throwable cause) {
    super(message, cause);
  }
}
