package io.headgate.deploy.simulate.replay;

import io.headgate.scheduler.core.job.PreemptionRule;
import io.headgate.scheduler.simulation.GpuSeconds;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/// What a replay came to.
///
/// @param finished jobs that did their work
/// @param neverFit jobs that no machine, or no right, would ever let start
/// @param leftOut jobs of the trace that were not played
/// @param waits by group; `all` is all of them
/// @param preemptions victims, by rule
/// @param usedGpuSeconds of attempts, those included that had to be repeated or were stopping
/// @param lost work that victims had to do again
public record ReplayResult(
    int finished,
    int neverFit,
    int leftOut,
    Utilisation utilisation,
    Map<String, Waits> waits,
    Map<PreemptionRule, Integer> preemptions,
    double usedGpuSeconds,
    GpuSeconds lost,
    Decisions decisions,
    Checked checked) {
  public ReplayResult {
    waits = Collections.unmodifiableMap(new LinkedHashMap<>(waits));
    preemptions = Collections.unmodifiableMap(new LinkedHashMap<>(preemptions));
  }

  /// Used GPUs as a part of all, 0 to 1.
  ///
  /// @param loaded from the first submission to the last
  /// @param contended while at least one job waited that a machine could run
  public record Utilisation(
      double loaded, Duration loadedTime, double contended, Duration contendedTime) {}

  /// How long finished jobs waited in all, in seconds: before the first attempt, and after each
  /// preemption.
  public record Waits(int jobs, double mean, double p50, double p99) {}

  /// What deciding took, in nanoseconds, a pass with its inputs each.
  public record Decisions(int passes, long sum, long p50, long p99) {}

  /// What was held against the rules.
  ///
  /// @param rests times at which nobody waited for what was free
  public record Checked(int starts, int rests) {}
}
