package io.headgate.scheduler.core.ledger;

import io.headgate.scheduler.core.job.JobId;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/// Intervals that last, as if they ended now: those of attempts in order of their begins, as far as
/// they were looked at, and all of held slices.
///
/// @param reached the last attempt that was looked at; empty: no more is left
public record LastingPart(List<UsageInterval> intervals, Optional<Begin> reached) {
  public LastingPart {
    intervals = List.copyOf(intervals);
  }

  /// When the present interval of an attempt began.
  ///
  /// @param attempt its number
  public record Begin(Instant since, JobId job, int attempt) implements Comparable<Begin> {
    private static final Comparator<Begin> ORDER =
        Comparator.comparing(Begin::since)
            .thenComparingLong(begin -> begin.job().value())
            .thenComparingInt(Begin::attempt);

    @Override
    public int compareTo(Begin other) {
      return ORDER.compare(this, other);
    }
  }
}
