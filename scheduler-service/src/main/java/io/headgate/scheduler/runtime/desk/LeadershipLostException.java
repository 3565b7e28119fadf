package io.headgate.scheduler.runtime.desk;

/// This replica stopped leading before the outcome was durable. The caller cannot know whether the
/// request took effect, and repeats it with the same request id.
public final class LeadershipLostException extends RuntimeException {
  private static final long serialVersionUID = 1;

  public LeadershipLostException(String message) {
    super(message);
  }
}
