package io.headgate.scheduler.runtime.leadership;

/// More waits for the loop than it may hold; trying again later may succeed.
public final class QueueFullException extends RuntimeException {
  private static final long serialVersionUID = 1;

  public QueueFullException() {
    super("the scheduler's input queue is full", null, false, false);
  }
}
