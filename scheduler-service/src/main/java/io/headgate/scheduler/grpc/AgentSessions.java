package io.headgate.scheduler.grpc;

import io.headgate.scheduler.core.node.NodeId;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/// The open streams of this process, by node: whom to ask for output. Thread-safe.
public final class AgentSessions {
  private final Map<NodeId, GrpcAgentSession> open = new ConcurrentHashMap<>();

  void opened(GrpcAgentSession session) {
    open.put(session.node(), session);
  }

  void closed(GrpcAgentSession session) {
    open.remove(session.node(), session);
  }

  Optional<GrpcAgentSession> find(NodeId node) {
    return Optional.ofNullable(open.get(node));
  }

  /// How many there are.
  public int count() {
    return open.size();
  }
}
