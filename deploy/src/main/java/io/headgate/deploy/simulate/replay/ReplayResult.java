package io.headgate.deploy.simulate.replay;

import io.headgate.scheduler.core.job.PreemptionRule;
import io.headgate.scheduler.simulation.GpuSeconds;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalDouble;

/// The result of a replay.
///
/// @param finished number of jobs that did their work
/// @param neverFit number of jobs that no machine, or no right, would ever let start
/// @param leftOut number of jobs of the trace that were not played
/// @param waits by group; `all` covers all groups
/// @param preemptions number of victims, by rule
/// @param usedGpuSeconds of all attempts, with repeated work and the time of stopping
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
    Checked checked,
    Forecasts forecasts) {
  public ReplayResult {
    waits = Collections.unmodifiableMap(new LinkedHashMap<>(waits));
    preemptions = Collections.unmodifiableMap(new LinkedHashMap<>(preemptions));
  }

  /// Used GPUs as a fraction of all, 0 to 1.
  ///
  /// @param loaded from the first submission to the last
  /// @param contended while at least one job waited that a machine could run
  public record Utilisation(
      double loaded, Duration loadedTime, double contended, Duration contendedTime) {}

  /// Total waiting times of finished jobs, in seconds: before the first attempt, and after each
  /// preemption.
  public record Waits(int jobs, double mean, double p50, double p99) {}

  /// Durations of the core's decisions, in nanoseconds; each is one pass with its inputs.
  public record Decisions(int passes, long sum, long p50, long p99) {}

  /// How well expected starts of waiting jobs came true.
  ///
  /// @param asked waiting jobs for which an expected start was asked for
  /// @param unknown those without one
  /// @param medianError of the others, as a fraction of the wait that followed
  /// @param bounded expected starts with a bound
  /// @param inTime those whose jobs started by it
  public record Forecasts(
      int asked, int unknown, OptionalDouble medianError, int bounded, int inTime) {}

  /// How often the rules were checked.
  ///
  /// @param rests instants at which the waiting jobs were checked
  public record Checked(int starts, int rests) {}
}
