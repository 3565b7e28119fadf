package io.headgate.scheduler.runtime.loop;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/// Waiting items of callers that take turns: each next item is of the caller whose turn is longest
/// ago. The items of one caller keep their order. Not thread-safe.
final class CallersInTurn<T> {
  /// In the order of their turns.
  private final LinkedHashMap<String, Deque<T>> callers = new LinkedHashMap<>();

  boolean isEmpty() {
    return callers.isEmpty();
  }

  void add(String caller, T item) {
    callers.computeIfAbsent(caller, _ -> new ArrayDeque<>()).add(item);
  }

  /// The item whose turn it is, if it `fits`; it is taken.
  Optional<T> take(Predicate<T> fits) {
    if (callers.isEmpty()) {
      return Optional.empty();
    }
    Map.Entry<String, Deque<T>> turn = callers.firstEntry();
    Deque<T> items = turn.getValue();
    if (!fits.test(items.getFirst())) {
      return Optional.empty();
    }
    T item = items.removeFirst();
    callers.pollFirstEntry();
    if (!items.isEmpty()) {
      callers.putLast(turn.getKey(), items);
    }
    return Optional.of(item);
  }
}
