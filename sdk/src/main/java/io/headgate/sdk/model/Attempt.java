package io.headgate.sdk.model;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// One run of a job.
///
/// @param number from 1
/// @param placements by worker
/// @param error what went wrong, in one sentence; null: nothing
/// @param progress how far its program says it is; null: it has not said
/// @param checkpointTime when its program last said that it had saved its work; null: it has not
/// @param use of its slices; null: not measured
public record Attempt(
    int number,
    String pool,
    List<Placement> placements,
    @Nullable Instant assignTime,
    @Nullable Instant startTime,
    @Nullable Instant endTime,
    Outcome outcome,
    @Nullable Integer exitCode,
    @Nullable Preemption preemption,
    @Nullable String error,
    @Nullable Progress progress,
    @Nullable Instant checkpointTime,
    @Nullable SliceUse use) {
  public Attempt {
    placements = List.copyOf(placements);
  }

  /// How an attempt ended.
  public enum Outcome {
    NOT_ENDED,
    SUCCEEDED,
    FAILED,
    REQUEUED,
    CANCELLED,
    TIMED_OUT,
    LOST,
    REJECTED
  }

  /// How far a program says it is.
  ///
  /// @param fraction of its work that is done, 0 to 1
  /// @param message in its own words; null: none
  /// @param reportTime when the scheduler heard of it
  public record Progress(double fraction, @Nullable String message, @Nullable Instant reportTime) {}

  /// The use that it makes of its slices. GPU time is time multiplied by the parts of the GPUs.
  ///
  /// @param busyMillis GPU time in which its slices computed
  /// @param measuredMillis GPU time over which that was measured; 0: it was not
  /// @param utilization part of its slices that computed at the last sample, 0 to 1; null: it has
  ///   ended, or that was not measured
  /// @param memoryBytes device memory that it has now; null: it has ended, or that was not measured
  public record SliceUse(
      long busyMillis,
      long measuredMillis,
      @Nullable Double utilization,
      @Nullable Long memoryBytes) {
    /// The part of the measured time in which its slices computed, 0 to 1; null: not measured.
    public @Nullable Double busyPart() {
      return measuredMillis == 0 ? null : busyMillis / (double) measuredMillis;
    }
  }

  /// Why it had to go.
  ///
  /// @param rule of the design: `P1`
  /// @param weighed what was weighed when it was chosen, in one sentence; empty for a move
  public record Preemption(
      String byJob, String rule, String message, @Nullable Instant time, String weighed) {}
}
