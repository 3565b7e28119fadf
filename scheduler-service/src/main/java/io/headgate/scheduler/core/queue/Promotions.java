package io.headgate.scheduler.core.queue;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// The jobs of a lane that have waited for longer than one `promoteAfter` (O7), and the others.
///
/// A lane has one for each different `promoteAfter` of its pools.
///
/// @param <J> the jobs
final class Promotions<J> {
  private final Duration after;
  private final Function<J, Instant> waitingSince;
  private final WaitingLine<J> promoted;

  /// The longest waiting first.
  private final WaitingLine<J> others;

  /// Up to which time jobs were promoted.
  private Instant now;

  /// @param order of promoted jobs (O5); it also decides between jobs that have waited as long
  Promotions(Duration after, Instant now, Comparator<J> order, Function<J, Instant> waitingSince) {
    this.after = after;
    this.now = now;
    this.waitingSince = waitingSince;
    promoted = new WaitingLine<>(order);
    others = new WaitingLine<>(Comparator.comparing(waitingSince).thenComparing(order));
  }

  void add(J job) {
    (isDue(job) ? promoted : others).add(job);
  }

  void remove(J job) {
    (isDue(job) ? promoted : others).remove(job);
  }

  private boolean isDue(J job) {
    return !dueAt(job).isAfter(now);
  }

  private Instant dueAt(J job) {
    return waitingSince.apply(job).plus(after);
  }

  /// Promotes the jobs that have waited for long enough by now.
  void promote(Instant newNow) {
    now = newNow;
    while (!others.isEmpty() && isDue(others.first())) {
      J job = others.first();
      others.remove(job);
      promoted.add(job);
    }
  }

  /// The first promoted job (O5); null: there is none.
  @Nullable J first() {
    return promoted.isEmpty() ? null : promoted.first();
  }

  Duration after() {
    return after;
  }

  /// Whether the job is one of the promoted.
  boolean isPromoted(J job) {
    return isDue(job);
  }

  /// When the next job is due; empty: none is left.
  Optional<Instant> next() {
    return others.isEmpty() ? Optional.empty() : Optional.of(dueAt(others.first()));
  }
}
