package io.headgate.scheduler.runtime.leadership;

import io.headgate.scheduler.runtime.record.Leadership;

/// Why a replica stopped leading.
sealed interface LeaderEnd {
  /// In order, because it was asked to or gives way to another: everything taken was finished.
  record Closed() implements LeaderEnd {}

  /// Another took over.
  record Deposed(Leadership now) implements LeaderEnd {}

  /// The database could not be reached until the lease was over, or took nothing for half of it.
  record LeaseRanOut(Exception cause) implements LeaderEnd {}

  /// The database has not what this leader made durable: it is an older copy.
  record WentBack() implements LeaderEnd {}

  /// A bug, or something that should not be: the state in memory is not trusted any more.
  record Failed(Throwable cause) implements LeaderEnd {}
}
