package io.headgate.scheduler.core.placement;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;

/// The nodes of a pool with attempts that declare no run time, those with the fewest first. A
/// question sorts in only the changes since the last one, so it costs nothing while no job asks.
final class OpenEndedNodes {
  private final TreeMap<Integer, TreeSet<NodeState>> byCount = new TreeMap<>();
  private final List<PoolEntry> changed = new ArrayList<>();

  /// Takes note that the number on the node may be another.
  void changed(PoolEntry entry) {
    if (!entry.openEndedChanged) {
      entry.openEndedChanged = true;
      changed.add(entry);
    }
  }

  void forget(PoolEntry entry) {
    if (entry.openEndedChanged) {
      changed.remove(entry);
      entry.openEndedChanged = false;
    }
    sort(entry, 0);
  }

  /// Valid until something changes. Nodes with equally many come by their ids.
  Iterator<NodeState> iterator() {
    for (PoolEntry entry : changed) {
      entry.openEndedChanged = false;
      sort(entry, entry.node.openEnded());
    }
    changed.clear();
    return byCount.values().stream().flatMap(TreeSet::stream).iterator();
  }

  private void sort(PoolEntry entry, int count) {
    int before = entry.openEnded;
    if (before == count) {
      return;
    }
    if (before > 0) {
      TreeSet<NodeState> equals = byCount.getOrDefault(before, new TreeSet<>());
      equals.remove(entry.node);
      if (equals.isEmpty()) {
        byCount.remove(before);
      }
    }
    if (count > 0) {
      byCount.computeIfAbsent(count, key -> new TreeSet<>()).add(entry.node);
    }
    entry.openEnded = count;
  }
}
