package io.headgate.pool.runtime;

import io.headgate.pool.core.Denial;
import io.headgate.pool.core.Outcome;
import java.util.List;

/// Carries denials out of a transaction, which it rolls back. It is expected, so it records no
/// stack.
public final class DeniedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final transient List<Denial> denials;

  public DeniedException(List<Denial> denials) {
    super(denials.toString(), null, false, false);
    this.denials = List.copyOf(denials);
  }

  public List<Denial> denials() {
    return denials;
  }

  /// The value, if it was not denied.
  static <T> T orThrow(Outcome<T> outcome) {
    return switch (outcome) {
      case Outcome.Accepted<T>(T value) -> value;
      case Outcome.Denied<T>(List<Denial> denials) -> throw new DeniedException(denials);
    };
  }

  static DeniedException of(Denial denial) {
    return new DeniedException(List.of(denial));
  }
}
