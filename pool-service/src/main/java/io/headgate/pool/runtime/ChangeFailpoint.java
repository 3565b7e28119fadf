package io.headgate.pool.runtime;

/// A moment of a change of supply and rights at which a crash must leave all of it or nothing. A
/// test visits every one of them.
public enum ChangeFailpoint {
  /// The change is written, and its transaction is not committed.
  BEFORE_PREPARED,
  /// The change is stored, the caller has no answer.
  AFTER_PREPARED,
  /// The decision is carried out, and its transaction is not committed.
  BEFORE_SETTLED,
  /// The decision is carried out, policy-service has no answer.
  AFTER_SETTLED;

  /// The action at a failpoint: none outside tests.
  @FunctionalInterface
  public interface Handler {
    void at(ChangeFailpoint point);

    Handler NONE = _ -> {};
  }
}
