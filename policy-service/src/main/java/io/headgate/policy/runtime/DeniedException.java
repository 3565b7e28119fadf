package io.headgate.policy.runtime;

import io.headgate.policy.core.Denial;
import io.headgate.policy.core.Outcome;
import java.util.List;

/// Carries denials out of a transaction, which it rolls back. Expected, so it records no stack.
public final class DeniedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final transient List<Denial> denials;

  public DeniedException(Denial denial) {
    this(List.of(denial));
  }

  public DeniedException(List<Denial> denials) {
    super(denials.toString(), null, false, false);
    this.denials = List.copyOf(denials);
  }

  public List<Denial> denials() {
    return denials;
  }

  public static <T> T require(Outcome<T> outcome) {
    return switch (outcome) {
      case Outcome.Accepted<T>(var value) -> value;
      case Outcome.Denied<T>(var denials) -> throw new DeniedException(denials);
    };
  }
}
