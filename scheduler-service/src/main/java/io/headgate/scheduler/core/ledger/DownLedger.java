package io.headgate.scheduler.core.ledger;

import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.job.Slice;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.type.GpuQuantity;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/// Follows the unused slices that are down, node by node. They add up to the `down` of their pool.
///
/// A new leader does not know yet whether a node that it waits for still is down, and nothing
/// starts there meanwhile. So what was down stays so until the node has reported.
final class DownLedger {
  private final Books books;
  private final Map<PoolId, Known> pools = new TreeMap<>();

  /// A pool as it was told last.
  private static final class Known {
    private long version = -1;

    /// Units that are down only because their nodes are awaited.
    private long kept;

    private final Map<NodeId, Long> keptByNode = new TreeMap<>();
    private final Map<NodeId, DownStep> steps = new TreeMap<>();
  }

  DownLedger(Books books) {
    this.books = books;
  }

  void restore(DownStep step) {
    step.down().ifPresent(down -> known(down.pool()).steps.put(step.node(), step));
  }

  private Known known(PoolId pool) {
    return pools.computeIfAbsent(pool, _ -> new Known());
  }

  /// Tells what has changed in the pool. Looks only at the nodes that were recounted since the last
  /// time, so thousands of nodes that report one after the other cost as many looks.
  ///
  /// @param version of [Books#down] and [Books#awaited]
  /// @param steps by node: it may leave one pool for another, and then the other step counts
  /// @return the idle units of the pool that stay down, because nodes are awaited
  long settle(
      PoolId pool, long version, Instant now, Entries entries, Map<NodeId, DownStep> steps) {
    Known known = known(pool);
    if (known.version != version) {
      for (NodeId node : changed(pool, known)) {
        settle(pool, known, node, now, entries, steps);
      }
      known.version = version;
    }
    return known.kept;
  }

  private SortedSet<NodeId> changed(PoolId pool, Known known) {
    return books
        .downChanges(pool, known.version)
        .orElseGet(() -> {
          SortedSet<NodeId> all = new TreeSet<>(books.down(pool));
          all.addAll(known.steps.keySet());
          return all;
        });
  }

  private void settle(
      PoolId pool,
      Known known,
      NodeId node,
      Instant now,
      Entries entries,
      Map<NodeId, DownStep> steps) {
    List<Slice> before =
        Optional.ofNullable(known.steps.get(node))
            .flatMap(DownStep::down)
            .map(DownStep.Down::slices)
            .orElse(List.of());
    List<Slice> kept = before.isEmpty() ? List.of() : kept(before, books.awaited(pool, node));
    keep(known, node, kept.stream().mapToLong(slice -> slice.quantity().units()).sum());
    List<Slice> slices = joined(books.down(pool, node), kept);
    if (slices.equals(before)) {
      return;
    }
    Optional.ofNullable(known.steps.remove(node))
        .ifPresent(step -> entries.downIntervals().addAll(step.until(now)));
    if (slices.isEmpty()) {
      steps.putIfAbsent(node, new DownStep(node, now, Optional.empty()));
    } else {
      DownStep step = new DownStep(node, now, Optional.of(new DownStep.Down(pool, slices)));
      known.steps.put(node, step);
      steps.put(node, step);
    }
  }

  private static void keep(Known known, NodeId node, long units) {
    Long less = units > 0 ? known.keptByNode.put(node, units) : known.keptByNode.remove(node);
    known.kept += units - (less == null ? 0 : less);
  }

  /// The slices that were down on devices that are idle now.
  private static List<Slice> kept(List<Slice> before, List<Slice> idle) {
    List<Slice> kept = new ArrayList<>();
    for (Slice slice : idle) {
      before.stream()
          .filter(old -> old.device() == slice.device() && old.uuid().equals(slice.uuid()))
          .mapToLong(old -> Math.min(old.quantity().units(), slice.quantity().units()))
          .forEach(units ->
              kept.add(new Slice(slice.device(), slice.uuid(), new GpuQuantity(units), 0)));
    }
    return kept;
  }

  /// A device is down or idle, and never both.
  private static List<Slice> joined(List<Slice> down, List<Slice> kept) {
    List<Slice> all = new ArrayList<>(down);
    all.addAll(kept);
    all.sort(Comparator.comparingInt(Slice::device));
    return all;
  }

  /// Ends the first intervals that began at or before a time, so that none becomes too long.
  ///
  /// @param limit the most of them
  void cut(Instant begunUntil, Instant now, int limit, Entries entries) {
    List<DownStep> old =
        pools.values().stream()
            .flatMap(known -> known.steps.values().stream())
            .filter(step -> !step.at().isAfter(begunUntil))
            .limit(limit)
            .toList();
    for (DownStep step : old) {
      DownStep next = new DownStep(step.node(), now, step.down());
      entries.downIntervals().addAll(step.until(now));
      entries.down().add(next);
      known(next.down().orElseThrow().pool()).steps.put(next.node(), next);
    }
  }

  /// The steps in force.
  List<DownStep> open() {
    return pools.values().stream().flatMap(known -> known.steps.values().stream()).toList();
  }
}
