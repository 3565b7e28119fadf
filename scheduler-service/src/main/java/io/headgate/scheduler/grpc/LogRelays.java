package io.headgate.scheduler.grpc;

import io.headgate.proto.agent.v1.LogChunk;
import io.headgate.scheduler.core.node.NodeId;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The reads of output that go over one agent's stream, by their ids. Thread-safe.
final class LogRelays {
  private static final Logger LOG = LoggerFactory.getLogger(LogRelays.class);

  private final Map<String, LogRelay> relays = new ConcurrentHashMap<>();
  private final NodeId node;

  LogRelays(NodeId node) {
    this.node = node;
  }

  void add(String readId, LogRelay relay) {
    relays.put(readId, relay);
  }

  /// Removes a read whose client has left.
  ///
  /// @return whether the read was still open
  boolean remove(String readId) {
    return relays.remove(readId) != null;
  }

  void take(LogChunk chunk) {
    LogRelay relay = relays.get(chunk.getReadId());
    if (relay != null && !relay.take(chunk)) {
      LOG.warn("{} sent more output than it was asked for", node);
      relays.remove(chunk.getReadId());
    }
    if (chunk.getLast()) {
      relays.remove(chunk.getReadId());
    }
  }

  /// The stream has ended.
  void lose() {
    relays.values().forEach(LogRelay::lost);
    relays.clear();
  }
}
