package io.headgate.agent.runtime.ledger;

import io.headgate.agent.core.Assignment;
import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.core.AttemptReport;
import io.headgate.agent.core.Input;
import io.headgate.agent.core.LeadershipHistory;
import java.io.IOException;
import java.time.Instant;

/// The durable records of the attempts on this machine. A record precedes its action and survives
/// the agent and a restart of the machine. Used by the loop alone.
public interface AttemptRecords {

  /// Everything that was recorded and not forgotten.
  Input.Recovered recover(Instant now) throws IOException;

  void recordLeadership(LeadershipHistory history) throws IOException;

  /// The attempt is taken on.
  ///
  /// @param contactBootMs the last contact with the control plane before this command
  void recordAssignment(Assignment assignment, long contactBootMs) throws IOException;

  /// The attempt is suspended by that order.
  void recordSuspension(AttemptKey key, long suspension) throws IOException;

  /// The attempt is not suspended any more.
  void recordResumption(AttemptKey key) throws IOException;

  /// The attempt is over and never starts here again.
  void recordEnd(AttemptReport report) throws IOException;

  /// The scheduler no longer needs the record.
  void forget(AttemptKey key) throws IOException;
}
