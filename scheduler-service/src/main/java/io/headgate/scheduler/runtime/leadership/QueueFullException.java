package io.headgate.scheduler.runtime.leadership;

/// The queue of the loop is full; a later attempt may succeed.
public final class QueueFullException extends RuntimeException {
  private static final long serialVersionUID = 1;

  public QueueFullException() {
    super("the scheduler's input queue is full", null, false, false);
  }
}
