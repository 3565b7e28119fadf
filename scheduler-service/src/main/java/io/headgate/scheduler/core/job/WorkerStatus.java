package io.headgate.scheduler.core.job;

/// Where one worker of an attempt is.
public enum WorkerStatus {
  /// Its agent has not yet said that it runs.
  ASSIGNED,
  RUNNING,
  /// Kept in its machine's main memory; it has no slices.
  SUSPENDED,
  /// Ended by itself with exit code 0.
  SUCCEEDED,
  /// Ended otherwise: failed, stopped, rejected or lost.
  ENDED;

  /// Whether something of it may still be on the machine.
  public boolean isLive() {
    return this == ASSIGNED || this == RUNNING || this == SUSPENDED;
  }
}
