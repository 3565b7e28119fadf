package io.headgate.policy.core;

import java.util.List;

/// A value, or every reason why there is none.
public sealed interface Outcome<T> {
  /// The value.
  record Accepted<T>(T value) implements Outcome<T> {}

  /// All that is wrong, at least one.
  record Denied<T>(List<Denial> denials) implements Outcome<T> {
    public Denied {
      denials = List.copyOf(denials);
      if (denials.isEmpty()) {
        throw new IllegalArgumentException("denied without a reason");
      }
    }
  }

  static <T> Outcome<T> accepted(T value) {
    return new Accepted<>(value);
  }

  static <T> Outcome<T> denied(Denial denial) {
    return new Denied<>(List.of(denial));
  }
}
