package io.headgate.policy.core;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/// Gathers all that is wrong with one request, so that it is answered at once. Confined to the one
/// check that makes it.
public final class Problems {
  /// Nobody reads more; a hostile request shall not make a huge answer.
  public static final int MAX = 100;

  private final List<Denial> denials = new ArrayList<>();

  public void add(Denial denial) {
    if (denials.size() < MAX) {
      denials.add(denial);
    }
  }

  public boolean isEmpty() {
    return denials.isEmpty();
  }

  public List<Denial> denials() {
    return List.copyOf(denials);
  }

  /// The value if nothing is wrong.
  public <T> Outcome<T> unless(Supplier<T> value) {
    return denials.isEmpty() ? Outcome.accepted(value.get()) : new Outcome.Denied<>(denials);
  }
}
