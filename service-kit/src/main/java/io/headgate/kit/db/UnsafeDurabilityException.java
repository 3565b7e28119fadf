package io.headgate.kit.db;

import io.headgate.kit.lifecycle.CannotStartException;
import java.util.List;

/// The server would lose acknowledged work in a crash.
public final class UnsafeDurabilityException extends CannotStartException {
  private static final long serialVersionUID = 1;

  UnsafeDurabilityException(List<String> settings) {
    super(
        "PostgreSQL runs with "
            + String.join(" = off and ", settings)
            + " = off and may lose acknowledged work: turn it on");
  }
}
