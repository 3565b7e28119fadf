package io.headgate.scheduler.core.job;

/// Why an attempt is asked to stop.
public sealed interface StopCause {
  /// Another job takes its slices.
  record Preempted(JobId by, PreemptionRule rule, PreemptionGrounds grounds) implements StopCause {}

  /// A user cancelled the job.
  record Cancelled() implements StopCause {}

  /// A user wants it to start anew.
  record Requeued() implements StopCause {}

  /// It was suspended for as long as its user allows, or its slices will not come back.
  record SuspensionOver() implements StopCause {}

  /// One worker of a gang ended without success; the others have nothing to do without it.
  record WorkerEnded(int worker, AttemptEnding ending) implements StopCause {}
}
