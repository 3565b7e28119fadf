package io.headgate.scheduler.core.job;

/// Where one worker of an attempt is.
public enum WorkerStatus {
  /// Its agent has not yet said that it runs.
  ASSIGNED,
  RUNNING,
  /// Ended by itself with exit code 0.
  SUCCEEDED,
  /// Ended otherwise: failed, stopped, rejected or lost.
  ENDED;

  /// Whether its slices may still be in use on the machine.
  public boolean isLive() {
    return this == ASSIGNED || this == RUNNING;
  }
}
