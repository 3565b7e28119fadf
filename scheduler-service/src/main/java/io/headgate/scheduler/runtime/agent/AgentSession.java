package io.headgate.scheduler.runtime.agent;

import io.headgate.scheduler.core.node.NodeId;

/// An open stream of a node's agent. Thread-safe; nothing here blocks.
public interface AgentSession {

  NodeId node();

  /// Queues a command. A session whose agent does not read is cut, which loses nothing: the next
  /// Hello reconciles.
  void send(AgentCommand command);

  /// Ends the stream because this replica does not lead (any more).
  void endNotLeader(String leaderAddress);

  /// Ends the stream because a newer one of the same node took its place.
  void endReplaced();
}
