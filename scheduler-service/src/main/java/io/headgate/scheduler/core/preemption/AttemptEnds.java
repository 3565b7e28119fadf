package io.headgate.scheduler.core.preemption;

import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.placement.NodeState;
import io.headgate.scheduler.core.placement.PoolState;
import io.headgate.scheduler.core.queue.LiveAttempt;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Function;

/// The running attempts that declare a run time, by the pools of their nodes, in the order of their
/// ends. Attempts that declare none are counted on each node. Kept up to date so that a hold (O7)
/// is found without sorting a pool.
public final class AttemptEnds {
  private static final Comparator<LiveAttempt> ORDER =
      Comparator.comparing((LiveAttempt attempt) -> attempt.endsBy().orElseThrow())
          .thenComparing(attempt -> attempt.nodes().getFirst())
          .thenComparingLong(LiveAttempt::sequence);

  private final Function<PoolId, PoolState> pools;
  private final Map<PoolState, TreeSet<LiveAttempt>> byPool = new HashMap<>();

  /// @param pools finds a node's pool
  public AttemptEnds(Function<PoolId, PoolState> pools) {
    this.pools = pools;
  }

  /// Takes in an attempt that was not asked to stop. Before its end changes or one of its nodes
  /// goes to another pool it must be taken out.
  public void add(LiveAttempt attempt) {
    if (attempt.endsBy().isEmpty()) {
      attempt.nodes().forEach(node -> poolOf(node).countOpenEnded(node, 1));
      return;
    }
    for (PoolState pool : pools(attempt)) {
      byPool.computeIfAbsent(pool, key -> new TreeSet<>(ORDER)).add(attempt);
    }
  }

  public void remove(LiveAttempt attempt) {
    if (attempt.endsBy().isEmpty()) {
      attempt.nodes().forEach(node -> poolOf(node).countOpenEnded(node, -1));
      return;
    }
    for (PoolState pool : pools(attempt)) {
      byPool.getOrDefault(pool, new TreeSet<>(ORDER)).remove(attempt);
    }
  }

  /// The attempts on nodes of the pool with a declared run time, the first to end first.
  SortedSet<LiveAttempt> in(PoolState pool) {
    return byPool.getOrDefault(pool, new TreeSet<>(ORDER));
  }

  private Set<PoolState> pools(LiveAttempt attempt) {
    if (attempt.workers() == 1) {
      return Set.of(poolOf(attempt.nodes().getFirst()));
    }
    Set<PoolState> found = new HashSet<>();
    attempt.nodes().forEach(node -> found.add(poolOf(node)));
    return found;
  }

  private PoolState poolOf(NodeState node) {
    return pools.apply(node.poolId());
  }
}
