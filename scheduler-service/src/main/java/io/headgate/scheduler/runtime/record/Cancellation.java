package io.headgate.scheduler.runtime.record;

/// By whom a job was cancelled, and why.
///
/// @param by id of the user or service account
/// @param reason in their words; empty: none given
public record Cancellation(String by, String reason) {
  /// ` by alice: wrong data set`.
  public String text() {
    return " by " + by + (reason.isEmpty() ? "" : ": " + reason);
  }
}
