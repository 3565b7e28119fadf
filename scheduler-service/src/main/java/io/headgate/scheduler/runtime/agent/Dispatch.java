package io.headgate.scheduler.runtime.agent;

import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.runtime.catalog.VaultRules;
import io.headgate.scheduler.runtime.record.Document;
import io.headgate.scheduler.runtime.record.WorkerKey;
import java.util.Optional;

/// A message to an agent, sent once everything before it is durable. Carried out in order.
public sealed interface Dispatch {

  /// The session takes over its node's commands, beginning with Welcome.
  record Open(AgentSession session, AgentCommand.Welcome welcome) implements Dispatch {}

  /// The session gets no more commands.
  record Shut(AgentSession session) implements Dispatch {}

  /// Sends a command to the session that the node then has. Without a session the command is
  /// dropped, because the next Hello leads to it again.
  record Say(NodeId node, AgentCommand command) implements Dispatch {}

  /// Starts a worker. The job's document is read at the time of sending.
  ///
  /// @param vaults the current vault rules of the group; empty: unknown
  /// @param known the job's document, if it is still in memory
  record Run(
      NodeId node,
      WorkerKey key,
      AgentCommand.Assign command,
      Optional<VaultRules> vaults,
      Optional<Document> known)
      implements Dispatch {}

  /// Updates of this session are durable.
  record Acknowledge(AgentSession session, long sequence) implements Dispatch {}
}
