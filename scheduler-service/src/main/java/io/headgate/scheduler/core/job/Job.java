package io.headgate.scheduler.core.job;

import java.time.Instant;
import java.util.Optional;

/// A job as the core knows it, complete enough to be given back after a restart.
///
/// @param sequence the core's submission order: its place among jobs of the same priority in its
///   queue
/// @param waitingSince the latest moment at which it began to wait: its submission, or the end of
///   its last attempt that ran
/// @param attempts how many were begun
/// @param lastPreemption by whom it was preempted last, if ever
/// @param holdPause the last pause between its holds of unknown expected start (O7)
/// @param headroom what it holds in the limits that block it (O7)
/// @param gate what it still waits for before it may start
public record Job(
    JobSpec spec,
    JobState state,
    long sequence,
    Instant submittedAt,
    Instant waitingSince,
    int attempts,
    Optional<Preemption> lastPreemption,
    Optional<HoldPause> holdPause,
    Optional<HeadroomHold> headroom,
    Gate gate) {
  /// A job that has not been preempted and has waited since its submission.
  public static Job submitted(
      JobSpec spec, JobState state, long sequence, Instant submittedAt, int attempts) {
    return new Job(
        spec,
        state,
        sequence,
        submittedAt,
        submittedAt,
        attempts,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Gate.OPEN);
  }

  public JobId id() {
    return spec.id();
  }

  public Job withState(JobState newState) {
    return new Job(
        spec,
        newState,
        sequence,
        submittedAt,
        waitingSince,
        attempts,
        lastPreemption,
        holdPause,
        headroom,
        gate);
  }

  /// The job with another pause; empty: it may hold.
  public Job withHoldPause(Optional<HoldPause> newPause) {
    return new Job(
        spec,
        state,
        sequence,
        submittedAt,
        waitingSince,
        attempts,
        lastPreemption,
        newPause,
        headroom,
        gate);
  }

  /// The job with other headroom; empty: it holds none.
  public Job withHeadroom(Optional<HeadroomHold> newHeadroom) {
    return new Job(
        spec,
        state,
        sequence,
        submittedAt,
        waitingSince,
        attempts,
        lastPreemption,
        holdPause,
        newHeadroom,
        gate);
  }

  /// The job with another gate.
  ///
  /// @param since the latest moment at which it began to wait for its start
  public Job withGate(Gate newGate, Instant since) {
    return new Job(
        spec,
        state,
        sequence,
        submittedAt,
        since,
        attempts,
        lastPreemption,
        holdPause,
        headroom,
        newGate);
  }

  /// The job with another specification.
  public Job withSpec(JobSpec newSpec) {
    return new Job(
        newSpec,
        state,
        sequence,
        submittedAt,
        waitingSince,
        attempts,
        lastPreemption,
        holdPause,
        headroom,
        gate);
  }
}
