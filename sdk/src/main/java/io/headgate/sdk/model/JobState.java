package io.headgate.sdk.model;

/// The state of a job.
public enum JobState {
  /// Not in a queue: its user holds it back, or its queue is gone.
  DRAFT,
  WAITING,
  /// Placed and durable; its agent has not reported the start yet.
  ASSIGNED,
  RUNNING,
  /// Asked to stop; its slices are not free yet.
  STOPPING,
  /// Preempted and kept in its node's memory; it later continues where it was.
  SUSPENDED,
  DONE,
  FAILED,
  CANCELLED,
  /// Its node is gone for good and the job may not run again.
  LOST,
  /// A state of a newer server that this client does not know.
  UNKNOWN;

  /// Whether the job has ended.
  public boolean isFinal() {
    return switch (this) {
      case DONE, FAILED, CANCELLED, LOST -> true;
      case DRAFT, WAITING, ASSIGNED, RUNNING, STOPPING, SUSPENDED, UNKNOWN -> false;
    };
  }
}
