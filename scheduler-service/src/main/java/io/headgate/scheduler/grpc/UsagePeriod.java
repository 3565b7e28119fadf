package io.headgate.scheduler.grpc;

import io.headgate.kit.failure.Refusal;
import java.time.Instant;

/// Checks the periods that callers ask for.
final class UsagePeriod {
  private UsagePeriod() {}

  static RuntimeException invalid(String field, String text) {
    return Refusal.invalidField("INVALID_PERIOD", field, text).exception();
  }

  /// Refuses a period that is empty, or has not begun.
  ///
  /// @param until its end, not after `now`
  static void requireBegun(Instant from, Instant until, Instant now) {
    if (from.isBefore(until)) {
      return;
    }
    boolean isInFuture = !from.isBefore(now);
    throw invalid(
        isInFuture ? "start_time" : "end_time",
        isInFuture
            ? "the period begins at %s, and now it is %s".formatted(from, now)
            : "the period ends at %s, and begins at %s".formatted(until, from));
  }
}
