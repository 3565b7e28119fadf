package io.headgate.scheduler.core.preemption;

import io.headgate.scheduler.core.placement.NodeState;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/// The nodes of a pool with attempts that declare no run time, those with the fewest first. A
/// question sorts in only the changes since the last one, so it costs nothing while no job asks.
final class UndeclaredNodes {
  /// A node's numbers of such attempts: now, and as it is sorted in.
  private static final class Count {
    int now;
    int sorted;
  }

  /// Looked up in only.
  private final Map<NodeState, Count> counts = new HashMap<>();

  private final Set<NodeState> changed = new LinkedHashSet<>();
  private final TreeMap<Integer, TreeSet<NodeState>> byCount = new TreeMap<>();

  /// Counts one more attempt on the node.
  void add(NodeState node) {
    count(node, 1);
  }

  /// Counts one attempt less on the node.
  void remove(NodeState node) {
    count(node, -1);
  }

  private void count(NodeState node, int change) {
    counts.computeIfAbsent(node, key -> new Count()).now += change;
    changed.add(node);
  }

  /// Valid until something changes. Nodes with equally many come by their ids.
  Iterator<NodeState> fewestFirst() {
    changed.forEach(this::sort);
    changed.clear();
    return byCount.values().stream().flatMap(TreeSet::stream).iterator();
  }

  private void sort(NodeState node) {
    Count count = counts.computeIfAbsent(node, key -> new Count());
    if (count.sorted > 0 && count.sorted != count.now) {
      TreeSet<NodeState> equals = byCount.getOrDefault(count.sorted, new TreeSet<>());
      equals.remove(node);
      if (equals.isEmpty()) {
        byCount.remove(count.sorted);
      }
    }
    if (count.now == 0) {
      counts.remove(node);
    } else if (count.sorted != count.now) {
      byCount.computeIfAbsent(count.now, key -> new TreeSet<>()).add(node);
      count.sorted = count.now;
    }
  }
}
