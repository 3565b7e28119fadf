package io.headgate.scheduler.runtime.record;

/// A moment at which a crash must lose nothing. A test visits every one of them, so that a new one
/// cannot be without its crash test.
public enum Failpoint {
  /// The row of leadership is taken, nothing is loaded.
  AFTER_ELECTION,
  /// The state is read, nothing is decided.
  MID_LOAD,
  /// A batch is decided, nothing of it is durable.
  BEFORE_COMMIT,
  /// A batch is durable, and no caller or agent has been told.
  AFTER_COMMIT_BEFORE_SEND,
  /// Agents have their commands, their updates are not acknowledged.
  AFTER_SEND_BEFORE_ACKNOWLEDGE;

  /// The action at a failpoint: none outside tests.
  @FunctionalInterface
  public interface Handler {
    void at(Failpoint point);

    Handler NONE = _ -> {};
  }
}
