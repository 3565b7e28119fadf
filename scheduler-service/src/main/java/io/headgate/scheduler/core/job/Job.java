package io.headgate.scheduler.core.job;

import java.time.Instant;
import java.util.Optional;

/// A job as the core knows it, complete enough to be given back after a restart.
///
/// @param sequence the core's submission order: its place among jobs of the same priority in its
///   queue
/// @param attempts how many were begun
/// @param lastPreemption by whom it was preempted last, if ever
public record Job(
    JobSpec spec,
    JobState state,
    long sequence,
    Instant submittedAt,
    int attempts,
    Optional<Preemption> lastPreemption) {
  public JobId id() {
    return spec.id();
  }

  public Job withState(JobState newState) {
    return new Job(spec, newState, sequence, submittedAt, attempts, lastPreemption);
  }
}
