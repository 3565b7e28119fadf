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
import java.util.TreeMap;

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

    /// Units that are down only because a node is awaited.
    private long kept;

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

  /// Tells what has changed in the pool.
  ///
  /// @param version of [Books#down]
  /// @param steps by node: it may leave one pool for another, and then the other step counts
  /// @return the idle units of the pool that stay down, because nodes are awaited
  long settle(
      PoolId pool, long version, Instant now, Entries entries, Map<NodeId, DownStep> steps) {
    Known known = known(pool);
    if (known.version == version && known.kept == 0) {
      return 0;
    }
    known.version = version;
    known.kept = 0;
    Map<NodeId, List<Slice>> present = new TreeMap<>(books.down(pool));
    known.steps.forEach((node, step) -> {
      List<Slice> kept = kept(step, books.awaited(pool, node));
      if (!kept.isEmpty()) {
        known.kept += new DownStep.Down(pool, kept).units();
        present.merge(node, kept, DownLedger::joined);
      }
    });
    for (DownStep step : List.copyOf(known.steps.values())) {
      List<Slice> slices = present.get(step.node());
      if (step.down().map(DownStep.Down::slices).equals(Optional.ofNullable(slices))) {
        present.remove(step.node());
      } else {
        entries.downIntervals().addAll(step.until(now));
        known.steps.remove(step.node());
        steps.putIfAbsent(step.node(), new DownStep(step.node(), now, Optional.empty()));
      }
    }
    present.forEach((node, slices) -> {
      DownStep step = new DownStep(node, now, Optional.of(new DownStep.Down(pool, slices)));
      known.steps.put(node, step);
      steps.put(node, step);
    });
    return known.kept;
  }

  /// The slices of the step on devices that are idle now.
  private static List<Slice> kept(DownStep step, List<Slice> idle) {
    List<Slice> kept = new ArrayList<>();
    List<Slice> before = step.down().map(DownStep.Down::slices).orElse(List.of());
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
