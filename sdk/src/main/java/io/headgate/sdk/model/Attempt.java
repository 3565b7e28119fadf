package io.headgate.sdk.model;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// One run of a job.
///
/// @param number from 1
/// @param placements by worker
/// @param error what went wrong, in one sentence; null: nothing
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
    @Nullable String error) {
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

  /// Why it had to go.
  ///
  /// @param rule of the design: `P1`
  public record Preemption(String byJob, String rule, String message, @Nullable Instant time) {}
}
