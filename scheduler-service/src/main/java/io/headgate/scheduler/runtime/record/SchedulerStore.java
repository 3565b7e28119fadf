package io.headgate.scheduler.runtime.record;

import java.time.Duration;
import java.util.Optional;

/// The durable truth, as the leader writes it. Every write checks and moves the row of leadership.
public interface SchedulerStore {

  /// The row of leadership.
  ///
  /// @param leaseLeft by the database's clock; zero or negative: the time since it expired or was
  ///   released
  /// @param silence since the last renewal, by the database's clock
  record Row(
      Leadership leadership, Duration leaseLeft, Duration silence, long lastBatch, long version) {}

  Row leadership();

  /// Makes `candidate` the leader, with the next epoch, if the lease has run out or was released.
  ///
  /// @param holderLost the holder is known to be gone: it is enough that it missed a renewal
  Optional<Row> takeOver(Candidate candidate, boolean holderLost);

  /// A replica in an election.
  ///
  /// @param mayLead false: the replica never leads and only follows the leader
  /// @param missed silence after which the holder missed a renewal
  record Candidate(String name, String address, boolean mayLead, Duration lease, Duration missed) {}

  /// Everything that a new leader needs, read in one transaction.
  LoadedState load();

  /// Like [#load], but with only the oldest `jobs` jobs and their rows.
  LoadedState sample(int jobs);

  /// Writes the batch and renews the lease, or does neither. An empty batch only renews.
  CommitResult commit(Leadership leader, Duration lease, Batch batch);

  /// Whether the batch whose commit had an unknown outcome was committed. Waits for the lost
  /// transaction to end.
  ///
  /// @return [Resolution.Unreachable] when the database cannot be asked now
  Resolution resolve(Leadership leader, Duration lease, long batch);

  /// The outcome of a lost commit, by the row of leadership.
  sealed interface Resolution {
    record Happened() implements Resolution {}

    /// It was not committed.
    ///
    /// @param lastBatch the last one that was
    record DidNotHappen(long lastBatch) implements Resolution {}

    record Deposed(Leadership now) implements Resolution {}

    record Unreachable(Exception cause) implements Resolution {}
  }

  /// Ends the lease at once, so that another replica need not wait. Does nothing if another leads.
  void release(Leadership leader);
}
