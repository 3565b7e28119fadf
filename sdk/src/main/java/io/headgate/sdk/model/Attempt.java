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
    @Nullable Instant checkpointTime) {
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

  /// Why it had to go.
  ///
  /// @param rule of the design: `P1`
  public record Preemption(String byJob, String rule, String message, @Nullable Instant time) {}
}
