package io.headgate.scheduler.runtime.record;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/// Waiting times in buckets, eight for each doubling. A time that is read from its bucket is at
/// most 5 % wrong.
public final class WaitingTimes {
  private static final double PER_DOUBLING = 8;

  private WaitingTimes() {}

  /// The bucket of a waiting time.
  public static int bucket(Duration waited) {
    return (int) Math.floor(PER_DOUBLING * Math.log(waited.toMillis() + 1.0) / Math.log(2));
  }

  /// The middle of the times of a bucket.
  static Duration inBucket(int bucket) {
    return Duration.ofMillis(Math.round(Math.pow(2, (bucket + 0.5) / PER_DOUBLING) - 1));
  }

  /// The longest wait of the first part of the jobs, ordered by their waits; empty: there are none.
  ///
  /// @param waits number of jobs by bucket
  /// @param part 0 to 1
  public static Optional<Duration> quantile(Map<Integer, Long> waits, double part) {
    long all = waits.values().stream().mapToLong(Long::longValue).sum();
    long rank = Math.max(1, (long) Math.ceil(part * all));
    long seen = 0;
    for (int bucket : waits.keySet().stream().sorted().toList()) {
      seen += Objects.requireNonNull(waits.get(bucket));
      if (seen >= rank) {
        return Optional.of(inBucket(bucket));
      }
    }
    return Optional.empty();
  }
}
