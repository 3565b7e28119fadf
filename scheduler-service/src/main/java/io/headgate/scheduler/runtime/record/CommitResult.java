package io.headgate.scheduler.runtime.record;

/// The outcome of a batch.
public sealed interface CommitResult {
  /// It is durable.
  record Committed() implements CommitResult {}

  /// Another leader has taken over; nothing was written.
  record Deposed(Leadership now) implements CommitResult {}

  /// The database did not say; the row of leadership will, see [SchedulerStore#resolve].
  record Unknown(Exception cause) implements CommitResult {}
}
