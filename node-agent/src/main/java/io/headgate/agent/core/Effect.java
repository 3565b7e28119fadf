package io.headgate.agent.core;

/// An action that the reconciler requests. The loop carries effects out in order: the record that
/// must survive a crash precedes the action that it protects.
public sealed interface Effect {
  /// Durable: no older leader is obeyed again.
  record RecordLeadership(LeadershipHistory history) implements Effect {}

  /// Durable: this machine has taken the attempt on.
  record RecordAssignment(Assignment assignment) implements Effect {}

  /// Durable: the attempt has ended, and will never start here again.
  record RecordEnd(AttemptReport report) implements Effect {}

  /// Start the attempt, or find the supervisor that has, and follow it.
  record Start(Assignment assignment) implements Effect {}

  /// Start the program of a prepared attempt. Repeated: nothing more happens.
  record Go(Assignment assignment, Rendezvous rendezvous) implements Effect {}

  /// Tell the supervisor to stop the job.
  record SendStop(Assignment assignment, StopOrder order) implements Effect {}

  /// Durable: it is suspended by that order.
  record RecordSuspension(AttemptKey key, long suspension) implements Effect {}

  /// Durable: it is not suspended any more.
  record RecordResumption(AttemptKey key) implements Effect {}

  /// Resume a suspended attempt.
  record Resume(Assignment assignment) implements Effect {}

  /// Free the slices and leave nothing behind.
  ///
  /// @param killRemains first kill processes that may live without a supervisor
  record Release(Assignment assignment, boolean killRemains) implements Effect {}

  /// Tell the scheduler, now or at the next contact.
  record Report(AttemptReport report) implements Effect {}

  /// The record may go; the logs stay as long as the limits allow.
  record Forget(AttemptKey key) implements Effect {}

  /// This leader was deposed: do not listen to it any further.
  record Refuse(Leadership leadership) implements Effect {}
}
