package io.headgate.scheduler.core.job;

/// An event in the life of a job.
public enum JobEvent {
  /// A user submits it.
  SUBMIT,
  /// Its queue is removed, or its submitter may no longer use it.
  WITHDRAW,
  /// The core gives it slices.
  ASSIGN,
  /// The agents say that all its workers run.
  RUN,
  /// An agent refuses the assignment before anything ran.
  REJECT,
  /// It is asked to stop.
  STOP,
  /// Instead of having stopped it stands still in its machine's main memory.
  SUSPEND,
  /// The slices that it had are its own again.
  RESUME,
  /// It ended by itself with exit code 0.
  SUCCEED,
  /// It ended by itself with another exit code.
  FAIL,
  /// A user changes it while it waits.
  UPDATE,
  /// It goes back to its queue.
  REQUEUE,
  /// It ends by a user's word or its policy's.
  CANCEL,
  /// It is gone with its node and does not go back to its queue.
  LOSE
}
