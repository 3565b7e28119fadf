package io.headgate.scheduler.runtime.record;

import java.time.Instant;

/// Keeps the ledger of usage in order. Every call may be repeated, at any time, by any replica.
/// Calls block.
public interface UsageStore {
  /// Makes partitions for this week and the coming ones. Existing ones are left alone.
  void prepareWeeks(Instant now);

  /// Sums up hours and days whose usage is final.
  ///
  /// @param limit the most hours
  /// @return the number of hours; `limit`: there may be more
  int sumUp(int limit);

  /// Deletes what is older than the retention, in whole weeks, but nothing that is not summed up.
  ///
  /// @param intervalsBefore intervals and steps that ended before
  /// @param hoursBefore sums of earlier hours
  /// @param daysBefore sums of earlier days
  void forget(Instant intervalsBefore, Instant hoursBefore, Instant daysBefore);
}
