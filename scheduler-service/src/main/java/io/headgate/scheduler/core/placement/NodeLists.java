package io.headgate.scheduler.core.placement;

import java.util.SortedSet;
import java.util.TreeSet;

/// The nodes of a pool that are asked for by what is on them.
final class NodeLists {
  private final TreeSet<NodeState> stopping = new TreeSet<>();
  private final TreeSet<NodeState> awaited = new TreeSet<>();
  private final HeldNodes held = new HeldNodes();
  private final OpenEndedNodes openEnded = new OpenEndedNodes();

  /// Nodes that take work on which something stops.
  SortedSet<NodeState> stopping() {
    return stopping;
  }

  /// Nodes that a new leader waits for.
  SortedSet<NodeState> awaited() {
    return awaited;
  }

  HeldNodes held() {
    return held;
  }

  OpenEndedNodes openEnded() {
    return openEnded;
  }

  /// Takes note of what stops and is held on the node, and whether it is waited for.
  void track(NodeState node) {
    keepAwaited(node, node.isAwaited());
    keepStopping(node, node.takesWork() && node.hasStopping());
    held.keep(node, node.takesWork() && node.hasHeld());
  }

  void forget(NodeState node) {
    keepAwaited(node, false);
    keepStopping(node, false);
    held.keep(node, false);
    openEnded.forget(node);
  }

  private void keepAwaited(NodeState node, boolean isAwaited) {
    if (isAwaited != node.entry.awaited) {
      node.entry.awaited = isAwaited;
      if (isAwaited) {
        awaited.add(node);
      } else {
        awaited.remove(node);
      }
    }
  }

  private void keepStopping(NodeState node, boolean stops) {
    if (stops != node.entry.stopping) {
      node.entry.stopping = stops;
      if (stops) {
        stopping.add(node);
      } else {
        stopping.remove(node);
      }
    }
  }
}
