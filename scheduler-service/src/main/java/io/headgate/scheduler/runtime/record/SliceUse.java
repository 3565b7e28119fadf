package io.headgate.scheduler.runtime.record;

import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/// The use that one worker makes of its slices, or all workers of an attempt together. GPU time is
/// time multiplied by the parts of the GPUs.
///
/// @param busyMillis GPU time in which the slices computed; at most measuredMillis
/// @param measuredMillis GPU time over which that was measured; 0: it was not
/// @param now the latest sample
public record SliceUse(long busyMillis, long measuredMillis, Present now) {
  public static final SliceUse NONE = new SliceUse(0, 0, Present.UNKNOWN);

  /// The latest sample; it is not durable.
  ///
  /// @param utilization part of the slices that computed, 0 to 1; empty: not measured
  /// @param memoryBytes device memory; empty: not measured
  public record Present(OptionalDouble utilization, OptionalLong memoryBytes) {
    public static final Present UNKNOWN = new Present(OptionalDouble.empty(), OptionalLong.empty());
  }

  public SliceUse {
    if (busyMillis < 0 || busyMillis > measuredMillis) {
      throw new IllegalArgumentException(
          "%d ms busy of %d ms measured".formatted(busyMillis, measuredMillis));
    }
  }

  /// Whether anything is known.
  public boolean isSomething() {
    return measuredMillis > 0 || !now.equals(Present.UNKNOWN);
  }

  /// The known use after a report. An agent that restarted counts from 0 again, so its reports
  /// count once they exceed the known use.
  public SliceUse after(SliceUse report) {
    return report.measuredMillis >= measuredMillis
        ? report
        : new SliceUse(busyMillis, measuredMillis, report.now);
  }

  /// The use after the end, when nothing is used any more.
  public SliceUse ended() {
    return new SliceUse(busyMillis, measuredMillis, Present.UNKNOWN);
  }

  /// The use of one worker and the GPUs that it has.
  public record Weighted(SliceUse use, long gpuUnits) {}

  /// The use of all workers. The utilization is the mean of those that tell it, by their GPUs.
  public static SliceUse total(List<Weighted> workers) {
    long busy = 0;
    long measured = 0;
    double computing = 0;
    long units = 0;
    OptionalLong memory = OptionalLong.empty();
    for (Weighted worker : workers) {
      SliceUse use = worker.use();
      busy += use.busyMillis();
      measured += use.measuredMillis();
      if (use.now().utilization().isPresent()) {
        computing += use.now().utilization().getAsDouble() * worker.gpuUnits();
        units += worker.gpuUnits();
      }
      if (use.now().memoryBytes().isPresent()) {
        memory = OptionalLong.of(memory.orElse(0) + use.now().memoryBytes().getAsLong());
      }
    }
    OptionalDouble utilization =
        units > 0 ? OptionalDouble.of(computing / units) : OptionalDouble.empty();
    return new SliceUse(busy, measured, new Present(utilization, memory));
  }
}
