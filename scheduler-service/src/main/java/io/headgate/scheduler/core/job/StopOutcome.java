package io.headgate.scheduler.core.job;

/// The fate of a job once its attempt has stopped.
public enum StopOutcome {
  /// It waits again in its original place.
  REQUEUE,
  /// It is kept in its machine's main memory and resumes from there, if the machine can do that;
  /// else as [#REQUEUE].
  SUSPEND,
  CANCEL,
  /// It failed; the stop only removes its remains.
  FAIL,
  /// It is lost; the stop only removes its remains.
  LOSE
}
