package io.headgate.scheduler.core.placement;

import java.util.SortedSet;
import java.util.TreeSet;

/// The nodes of a pool, in lists by their content.
final class NodeLists {
  private final TreeSet<NodeState> stopping = new TreeSet<>();
  private final TreeSet<NodeState> awaited = new TreeSet<>();
  private final TreeSet<NodeState> setAside = new TreeSet<>();
  private final DownNodes down = new DownNodes();
  private final HeldNodes held = new HeldNodes();

  /// Nodes that take work on which something stops.
  SortedSet<NodeState> stopping() {
    return stopping;
  }

  /// Nodes that a new leader waits for.
  SortedSet<NodeState> awaited() {
    return awaited;
  }

  /// Nodes that get no work for a while, because they rejected some.
  SortedSet<NodeState> setAside() {
    return setAside;
  }

  /// Nodes with unused devices that take no work.
  DownNodes down() {
    return down;
  }

  HeldNodes held() {
    return held;
  }

  /// Updates the lists with the node's stopping and held capacity, and whether its report is
  /// awaited.
  void track(PoolEntry entry) {
    NodeState node = entry.node;
    keepAwaited(entry, node.isAwaited());
    if (node.rejections().isAside()) {
      setAside.add(node);
    } else {
      setAside.remove(node);
    }
    keepStopping(entry, node.takesWork() && node.hasStopping());
    held.keep(entry, node.takesWork() && node.hasHeld());
  }

  void forget(PoolEntry entry) {
    keepAwaited(entry, false);
    setAside.remove(entry.node);
    keepStopping(entry, false);
    held.keep(entry, false);
  }

  private void keepAwaited(PoolEntry entry, boolean isAwaited) {
    if (isAwaited != entry.awaited) {
      entry.awaited = isAwaited;
      if (isAwaited) {
        awaited.add(entry.node);
      } else {
        awaited.remove(entry.node);
      }
    }
  }

  private void keepStopping(PoolEntry entry, boolean stops) {
    if (stops != entry.stopping) {
      entry.stopping = stops;
      if (stops) {
        stopping.add(entry.node);
      } else {
        stopping.remove(entry.node);
      }
    }
  }
}
