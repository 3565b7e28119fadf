package io.headgate.scheduler.runtime.record;

/// By whom a job was cancelled, and why.
///
/// @param by id of the user or service account; empty: a dependency of it was not met
/// @param reason in their words; empty: none given
public record Cancellation(String by, String reason) {
  /// The scheduler's own, because a dependency of the job was not met.
  public static Cancellation byDependency(String reason) {
    return new Cancellation("", reason);
  }

  /// `by alice: wrong data set`.
  public String sentence() {
    return by.isEmpty() ? reason : text().strip();
  }

  /// ` by alice: wrong data set`.
  public String text() {
    if (by.isEmpty()) {
      return ": " + reason;
    }
    return " by " + by + (reason.isEmpty() ? "" : ": " + reason);
  }
}
