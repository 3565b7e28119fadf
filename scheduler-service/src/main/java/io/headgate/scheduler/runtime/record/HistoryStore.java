package io.headgate.scheduler.runtime.record;

import java.time.Instant;

/// Stores and deletes the history of finished jobs. Every call may be repeated, at any time, by any
/// replica: none touches an unfinished job. Calls block.
public interface HistoryStore {
  /// Makes places for the events of this week and the coming ones. Those that exist are left alone.
  void prepareWeeks(Instant now);

  /// Forgets whole weeks of events, and single ones of which no week is kept.
  ///
  /// @param before events of this time and later are kept
  /// @param limit at most so many single ones
  /// @return how many single ones were forgotten; `limit`: there may be more
  int forgetEvents(Instant before, int limit);

  /// Forgets jobs with their specs and attempts. The newest job is kept whatever its age, because
  /// the next one's number follows its.
  ///
  /// @param endedBefore jobs that ended then or later are kept
  /// @param limit at most so many, the oldest first
  /// @return how many were forgotten; `limit`: there may be more
  int forgetJobs(Instant endedBefore, int limit);
}
