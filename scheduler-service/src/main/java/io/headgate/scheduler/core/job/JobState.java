package io.headgate.scheduler.core.job;

/// Where a job is in its life. [JobLifecycle] says what leads from one to another.
public enum JobState {
  /// Kept, not queued: its queue was removed.
  DRAFT,
  /// Queued.
  WAITING,
  /// Has slices; its agent has not yet said that it runs.
  ASSIGNED,
  /// All its workers run.
  RUNNING,
  /// Asked to stop; its slices are still taken.
  STOPPING,
  /// Preempted, and kept in its machine's main memory: it waits for the very slices that it had.
  SUSPENDED,
  /// Ended by itself with exit code 0.
  DONE,
  /// Ended by itself with another exit code.
  FAILED,
  /// Ended by a user's word, or preempted under a policy that cancels.
  CANCELLED,
  /// Its node was lost with proof that it no longer runs, and its policy does not requeue.
  LOST;

  /// Whether the job has ended. Only a user's requeue leads on from here.
  public boolean isTerminal() {
    return this == DONE || this == FAILED || this == CANCELLED || this == LOST;
  }

  /// Whether the job has an attempt: it holds slices, or will resume with its earlier ones.
  public boolean hasAttempt() {
    return this == ASSIGNED || this == RUNNING || this == STOPPING || this == SUSPENDED;
  }
}
