package io.headgate.scheduler.core.queue;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The jobs of a lane that have waited for longer than one `promoteAfter` (O7), and the others.
///
/// A lane has one for each different `promoteAfter` of its pools.
final class Promotions {
  private static final Comparator<LiveJob> BY_WAIT =
      Comparator.comparing(LiveJob::waitingSince).thenComparingLong(LiveJob::sequence);

  private final Duration after;
  private final WaitingLine<LiveJob> promoted = new WaitingLine<>(LiveJob.ORDER);

  /// The longest waiting first.
  private final WaitingLine<LiveJob> others = new WaitingLine<>(BY_WAIT);

  /// Up to which time jobs were promoted.
  private Instant now;

  Promotions(Duration after, Instant now) {
    this.after = after;
    this.now = now;
  }

  void add(LiveJob job) {
    (isDue(job) ? promoted : others).add(job);
  }

  void remove(LiveJob job) {
    (isDue(job) ? promoted : others).remove(job);
  }

  private boolean isDue(LiveJob job) {
    return !dueAt(job).isAfter(now);
  }

  private Instant dueAt(LiveJob job) {
    return job.waitingSince().plus(after);
  }

  /// Promotes the jobs that have waited for long enough by now.
  void promote(Instant newNow) {
    now = newNow;
    while (!others.isEmpty() && isDue(others.first())) {
      LiveJob job = others.first();
      others.remove(job);
      promoted.add(job);
    }
  }

  /// The first promoted job (O5); null: there is none.
  @Nullable LiveJob first() {
    return promoted.isEmpty() ? null : promoted.first();
  }

  /// When the next job is due; empty: none is left.
  Optional<Instant> next() {
    return others.isEmpty() ? Optional.empty() : Optional.of(dueAt(others.first()));
  }
}
