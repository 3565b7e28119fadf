package io.headgate.policy.runtime;

/// A moment of a change of supply and rights at which a crash must leave all of it or nothing. A
/// test visits every one of them.
public enum ChangeFailpoint {
  /// The prepared supply is read, nothing is decided.
  BEFORE_DECISION,
  /// The rights are written, and their transaction is not committed.
  BEFORE_COMMIT,
  /// The change is decided, pool-service has not heard of it.
  AFTER_COMMIT,
  /// Pool-service has carried the decision out, which is not noted here.
  AFTER_SETTLEMENT,
  /// All is done, the caller has no answer.
  BEFORE_ANSWER;

  /// The action at a failpoint: none outside tests.
  @FunctionalInterface
  public interface Handler {
    void at(ChangeFailpoint point);

    Handler NONE = _ -> {};
  }
}
