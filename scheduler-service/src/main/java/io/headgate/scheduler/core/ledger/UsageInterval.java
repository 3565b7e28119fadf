package io.headgate.scheduler.core.ledger;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/// A period in which a job had the same slices under the same right and terms. Intervals of a job
/// neither overlap nor leave a gap while it has slices, and none is longer than [Ledger#LONGEST].
///
/// @param from in whole milliseconds, as `until`
/// @param until later than `from`
/// @param split of an attempt's units; of a hold all zero
/// @param held the units of a hold; of an attempt 0
/// @param waited only the first interval of an attempt: how long the job had waited
/// @param end only the last interval of an attempt, and the last before a suspension
/// @param busy how much of the time the GPUs computed; empty: it was not measured
public record UsageInterval(
    Holding holding,
    Terms terms,
    Instant from,
    Instant until,
    Split split,
    long held,
    Optional<Duration> waited,
    Optional<End> end,
    Optional<Busy> busy) {
  /// An interval of which it is not known how busy it was.
  public UsageInterval(
      Holding holding,
      Terms terms,
      Instant from,
      Instant until,
      Split split,
      long held,
      Optional<Duration> waited,
      Optional<End> end) {
    this(holding, terms, from, until, split, held, waited, end, Optional.empty());
  }

  public UsageInterval {
    if (!from.isBefore(until)) {
      throw new IllegalArgumentException("from %s until %s".formatted(from, until));
    }
  }

  /// How much GPUs computed, in GPU time: time multiplied by the parts of the GPUs.
  ///
  /// @param busyMillis in which they computed
  /// @param measuredMillis over which that was measured
  public record Busy(long busyMillis, long measuredMillis) {}

  /// The same interval, of which it is known how busy it was.
  public UsageInterval with(Busy measured) {
    return new UsageInterval(
        holding, terms, from, until, split, held, waited, end, Optional.of(measured));
  }

  /// How an attempt lost its slices.
  ///
  /// @param preempted whether it had to go for another job
  /// @param lost the work that the preemption lost, in GPU units × milliseconds
  public record End(boolean preempted, long lost) {
    public static final End OWN = new End(false, 0);
  }
}
