package io.headgate.scheduler.runtime.submission;

import io.headgate.scheduler.core.job.Dependency.Condition;
import io.headgate.scheduler.runtime.record.JobRecord;

/// A job that another one is to wait for, as the request names it.
public sealed interface Prerequisite {
  /// How it must end.
  Condition condition();

  /// A job that was submitted before.
  ///
  /// @param known as the database had it
  record Stored(JobRecord known, Condition condition) implements Prerequisite {}

  /// A job of the same batch.
  ///
  /// @param index of it in the batch
  /// @param name its id
  record InBatch(int index, Condition condition, String name) implements Prerequisite {}
}
