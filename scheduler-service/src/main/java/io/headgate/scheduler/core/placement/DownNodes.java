package io.headgate.scheduler.core.placement;

import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;

/// The nodes of a pool with unused devices that take no work.
public final class DownNodes {
  private final TreeSet<NodeState> nodes = new TreeSet<>();
  private long version;

  /// The node is counted anew.
  void keep(PoolEntry entry, PoolTally now) {
    if (entry.tally.down() == 0 && now.down() == 0) {
      return;
    }
    version++;
    if (now.down() > 0) {
      nodes.add(entry.node);
    } else {
      nodes.remove(entry.node);
    }
  }

  public SortedSet<NodeState> nodes() {
    return Collections.unmodifiableSortedSet(nodes);
  }

  /// Counts whenever something changes about them.
  public long version() {
    return version;
  }
}
