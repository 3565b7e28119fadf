package io.headgate.sdk.model;

/// How a job stands.
public enum JobState {
  /// Not in a queue: held back by its user, or its queue is gone.
  DRAFT,
  WAITING,
  /// Decided and durable; its agent has not reported the start yet.
  ASSIGNED,
  RUNNING,
  /// Asked to stop; its slices are not free yet.
  STOPPING,
  /// Preempted, and kept in its machine's memory: it goes on where it was.
  SUSPENDED,
  DONE,
  FAILED,
  CANCELLED,
  /// Its node is gone for good and it may not run again.
  LOST,
  /// A state that a newer server knows and this client does not.
  UNKNOWN;

  /// Whether it has ended.
  public boolean isFinal() {
    return switch (this) {
      case DONE, FAILED, CANCELLED, LOST -> true;
      case DRAFT, WAITING, ASSIGNED, RUNNING, STOPPING, SUSPENDED, UNKNOWN -> false;
    };
  }
}
