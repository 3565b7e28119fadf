package io.headgate.scheduler.core.catalog;

/// The fate of a preempted job (P8); its policy chooses.
public enum PreemptionOutcome {
  /// It waits again in its original place and resumes.
  REQUEUE,
  /// It is cancelled.
  CANCEL
}
