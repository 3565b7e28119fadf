package io.headgate.scheduler.core.preemption;

import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.placement.NodeState;
import io.headgate.scheduler.core.placement.PoolState;
import io.headgate.scheduler.core.queue.Ends;
import io.headgate.scheduler.core.queue.LiveAttempt;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/// The running attempts by their nodes, with their expected ends. Kept up to date so that a hold
/// (O7) is found without a look at each attempt.
public final class AttemptEnds {
  /// The attempts of a pool.
  static final class InPool {
    final Map<NodeState, NodeEnds> byNode = new LinkedHashMap<>();
    final UndeclaredNodes undeclared = new UndeclaredNodes();

    /// Counts the attempts that came and went.
    private long version;
  }

  private final Function<PoolId, PoolState> pools;
  private final Map<PoolState, InPool> byPool = new HashMap<>();

  /// Counts the run times that were observed: each may change what is expected in all pools.
  private long observed;

  /// @param pools finds a node's pool
  public AttemptEnds(Function<PoolId, PoolState> pools) {
    this.pools = pools;
  }

  /// Takes in an attempt that was not asked to stop. Before its end changes or one of its nodes
  /// goes to another pool it must be taken out.
  public void add(LiveAttempt attempt) {
    for (NodeState node : nodes(attempt)) {
      InPool inPool = byPool.computeIfAbsent(poolOf(node), key -> new InPool());
      inPool.version++;
      inPool.byNode.computeIfAbsent(node, NodeEnds::new).add(attempt);
      if (attempt.endsBy().isEmpty()) {
        inPool.undeclared.add(node);
      }
    }
  }

  public void remove(LiveAttempt attempt) {
    for (NodeState node : nodes(attempt)) {
      InPool inPool = byPool.get(poolOf(node));
      NodeEnds onNode = inPool == null ? null : inPool.byNode.get(node);
      if (inPool == null || onNode == null) {
        continue;
      }
      inPool.version++;
      if (onNode.removeLast(attempt)) {
        inPool.byNode.remove(node);
      }
      if (attempt.endsBy().isEmpty()) {
        inPool.undeclared.remove(node);
      }
    }
  }

  /// A run time of a queue was observed.
  public void observed() {
    observed++;
  }

  /// While this number stays, the same is expected at the same time.
  public long version(PoolState pool) {
    InPool inPool = byPool.get(pool);
    return observed + (inPool == null ? 0 : inPool.version);
  }

  /// The expected ends of the attempts on nodes of the pool.
  public ExpectedEnds expect(PoolState pool, Ends ends) {
    return new ExpectedEnds(byPool.computeIfAbsent(pool, key -> new InPool()), ends, observed);
  }

  private static Collection<NodeState> nodes(LiveAttempt attempt) {
    List<NodeState> nodes = attempt.nodes();
    return attempt.workers() == 1 ? nodes : new LinkedHashSet<>(nodes);
  }

  private PoolState poolOf(NodeState node) {
    return pools.apply(node.poolId());
  }
}
