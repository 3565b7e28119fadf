package io.headgate.scheduler.runtime.leadership;

import io.headgate.scheduler.runtime.record.Leadership;

/// Why a replica stopped leading.
sealed interface LeaderEnd {
  /// In order, because the replica was closed or gives way to another: accepted commands were
  /// finished.
  record Closed() implements LeaderEnd {}

  /// Another replica took over.
  record Deposed(Leadership now) implements LeaderEnd {}

  /// The database was unreachable until the lease was over, or wrote nothing for half a lease.
  record LeaseRanOut(Exception cause) implements LeaderEnd {}

  /// It did not begin, because its state could not be loaded: the database was unreachable, or this
  /// process lacks a key.
  record NotBegun(RuntimeException cause) implements LeaderEnd {}

  /// The database lacks batches that this leader made durable: it is an older copy.
  record WentBack() implements LeaderEnd {}

  /// A bug or a broken invariant: the state in memory is no longer trusted.
  record Failed(Throwable cause) implements LeaderEnd {}
}
