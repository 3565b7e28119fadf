package io.headgate.scheduler.core.placement;

import io.headgate.scheduler.core.node.NodeId;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.Iterator;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/// The nodes of a pool with unused devices that take no work, and which nodes were recounted last.
public final class DownNodes {
  /// The most changes that are remembered. A reader that missed more of them looks at every node.
  static final int MOST_CHANGES = 4_096;

  private final SortedMap<NodeId, NodeState> nodes = new TreeMap<>();
  private final Deque<NodeId> changes = new ArrayDeque<>();
  private long version;

  /// The node is counted anew. It matters if it was or is down, and while a new leader waits for
  /// it.
  void keep(PoolEntry entry, PoolTally now) {
    NodeState node = entry.node;
    if (entry.tally.down() == 0 && now.down() == 0 && !entry.awaited && !node.isAwaited()) {
      return;
    }
    version++;
    if (changes.size() == MOST_CHANGES) {
      changes.removeFirst();
    }
    changes.addLast(node.id());
    if (now.down() > 0) {
      nodes.put(node.id(), node);
    } else {
      nodes.remove(node.id());
    }
  }

  /// The nodes that are down.
  public SortedMap<NodeId, NodeState> nodes() {
    return Collections.unmodifiableSortedMap(nodes);
  }

  /// Counts whenever something may have changed about a node that is down or awaited.
  public long version() {
    return version;
  }

  /// The nodes about which something may have changed.
  ///
  /// @param seen an earlier version; negative: none was seen
  /// @return empty: so much has changed that it may be any node
  public Optional<SortedSet<NodeId>> changedSince(long seen) {
    long missed = version - seen;
    if (seen < 0 || missed > changes.size()) {
      return Optional.empty();
    }
    SortedSet<NodeId> changed = new TreeSet<>();
    Iterator<NodeId> newest = changes.descendingIterator();
    for (long i = 0; i < missed; i++) {
      changed.add(newest.next());
    }
    return Optional.of(changed);
  }
}
