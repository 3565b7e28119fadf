package io.headgate.scheduler.core.preemption;

import io.headgate.scheduler.core.queue.LiveAttempt;
import java.time.Instant;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;

/// The attempts of one queue in one pool that declare no run time. A question sorts in only those
/// that came since the last one, so it costs nothing while no job asks.
final class UndeclaredEnds {
  /// The place of an attempt in the order of starts.
  record Start(Instant from, long sequence) implements Comparable<Start> {
    private static final Comparator<Start> ORDER =
        Comparator.comparing(Start::from).thenComparingLong(Start::sequence);

    static Start of(LiveAttempt attempt) {
      return new Start(attempt.from(), attempt.sequence());
    }

    /// After all attempts that started at this time or earlier.
    static Start after(Instant time) {
      return new Start(time, Long.MAX_VALUE);
    }

    @Override
    public int compareTo(Start other) {
      return ORDER.compare(this, other);
    }
  }

  private final Set<LiveAttempt> fresh = new LinkedHashSet<>();
  private final TreeMap<Start, LiveAttempt> sorted = new TreeMap<>();

  void add(LiveAttempt attempt) {
    fresh.add(attempt);
  }

  /// Takes the attempt out; whether it was the last one.
  boolean removeLast(LiveAttempt attempt) {
    if (!fresh.remove(attempt)) {
      sorted.remove(Start.of(attempt));
    }
    return fresh.isEmpty() && sorted.isEmpty();
  }

  /// The first to start first.
  NavigableMap<Start, LiveAttempt> byStart() {
    for (LiveAttempt attempt : fresh) {
      sorted.put(Start.of(attempt), attempt);
    }
    fresh.clear();
    return sorted;
  }
}
