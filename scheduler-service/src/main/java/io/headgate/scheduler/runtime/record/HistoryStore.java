package io.headgate.scheduler.runtime.record;

import java.time.Instant;

/// Stores and deletes the history of finished jobs. Every call may be repeated, at any time, by any
/// replica: none touches an unfinished job. Calls block.
public interface HistoryStore {
  /// Makes partitions for the events of this week and the coming ones. Existing partitions are left
  /// alone.
  void prepareWeeks(Instant now);

  /// Deletes whole weeks of events, and single events whose week has no partition.
  ///
  /// @param before events of this time and later are kept
  /// @param limit the most single events to delete
  /// @return the number of deleted single events; `limit`: there may be more
  int forgetEvents(Instant before, int limit);

  /// Deletes jobs with their specs and attempts. The newest job is kept whatever its age, because
  /// the next job's number follows its number.
  ///
  /// @param endedBefore jobs that ended then or later are kept
  /// @param limit the most jobs to delete, the oldest first
  /// @return the number of deleted jobs; `limit`: there may be more
  int forgetJobs(Instant endedBefore, int limit);
}
