package io.headgate.scheduler.runtime.desk;

/// This replica stopped leading before the outcome was durable: whether it took effect is not known
/// to the caller, who repeats it with the same request id.
public final class LeadershipLostException extends RuntimeException {
  private static final long serialVersionUID = 1;

  public LeadershipLostException(String message) {
    super(message);
  }
}
