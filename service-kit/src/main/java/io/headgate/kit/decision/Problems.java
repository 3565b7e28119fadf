package io.headgate.kit.decision;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/// Collects all problems of one request, so that one answer reports them all. Not thread-safe.
///
/// @param <D> the service's type of reason
public final class Problems<D> {
  /// Problems kept per request; it bounds the answer to a hostile request.
  public static final int MAX = 100;

  private final List<D> denials = new ArrayList<>();

  /// Adds a problem, unless there are {@link #MAX} already.
  public void add(D denial) {
    if (denials.size() < MAX) {
      denials.add(denial);
    }
  }

  public boolean isEmpty() {
    return denials.isEmpty();
  }

  public List<D> denials() {
    return List.copyOf(denials);
  }

  /// The value if there is no problem.
  public <T> Outcome<T, D> unless(Supplier<T> value) {
    return denials.isEmpty() ? Outcome.accepted(value.get()) : new Outcome.Denied<>(denials);
  }
}
