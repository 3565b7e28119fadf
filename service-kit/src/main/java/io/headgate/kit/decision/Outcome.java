package io.headgate.kit.decision;

import java.util.List;

/// A value, or all reasons why there is none.
///
/// @param <D> the service's type of reason
public sealed interface Outcome<T, D> {
  /// The value.
  record Accepted<T, D>(T value) implements Outcome<T, D> {}

  /// All reasons, at least one.
  record Denied<T, D>(List<D> denials) implements Outcome<T, D> {
    public Denied {
      denials = List.copyOf(denials);
      if (denials.isEmpty()) {
        throw new IllegalArgumentException("denied without a reason");
      }
    }
  }

  static <T, D> Outcome<T, D> accepted(T value) {
    return new Accepted<>(value);
  }

  static <T, D> Outcome<T, D> denied(D denial) {
    return new Denied<>(List.of(denial));
  }
}
