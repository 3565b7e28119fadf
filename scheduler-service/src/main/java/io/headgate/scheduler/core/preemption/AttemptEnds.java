package io.headgate.scheduler.core.preemption;

import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.placement.NodeState;
import io.headgate.scheduler.core.placement.PoolState;
import io.headgate.scheduler.core.queue.Ends;
import io.headgate.scheduler.core.queue.LiveAttempt;
import io.headgate.scheduler.core.queue.QueueState;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// The running attempts by the pools of their nodes: those that declare a run time in the order of
/// their ends, the others by queue. Kept up to date so that a hold (O7) is found without sorting a
/// pool.
public final class AttemptEnds {
  private static final Comparator<LiveAttempt> BY_DECLARED_END =
      Comparator.comparing((LiveAttempt attempt) -> attempt.endsBy().orElseThrow())
          .thenComparing(attempt -> attempt.nodes().getFirst())
          .thenComparingLong(LiveAttempt::sequence);

  /// The attempts of a pool.
  static final class InPool {
    final TreeSet<LiveAttempt> declared = new TreeSet<>(BY_DECLARED_END);
    final Map<QueueState, UndeclaredEnds> undeclared = new LinkedHashMap<>();
    final UndeclaredNodes nodes = new UndeclaredNodes();

    /// Counts the attempts that came and went.
    private long version;

    /// The outlooks of the last time, by what jobs expect; looked up in only.
    private final Map<Ends, ExpectedEnds.Outlook> outlooks = new HashMap<>();

    private Instant outlooksOf = Instant.MIN;
    private long outlooksAt = -1;
  }

  private final Function<PoolId, PoolState> pools;
  private final Function<JobId, @Nullable LiveAttempt> attempts;
  private final Map<PoolState, InPool> byPool = new HashMap<>();

  /// Counts the run times that were observed: each may change what is expected in all pools.
  private long observed;

  /// @param pools finds a node's pool
  /// @param attempts finds a job's attempt; null: it has none
  public AttemptEnds(
      Function<PoolId, PoolState> pools, Function<JobId, @Nullable LiveAttempt> attempts) {
    this.pools = pools;
    this.attempts = attempts;
  }

  /// Takes in an attempt that was not asked to stop. Before its end changes or one of its nodes
  /// goes to another pool it must be taken out.
  public void add(LiveAttempt attempt) {
    for (PoolState pool : pools(attempt)) {
      InPool inPool = byPool.computeIfAbsent(pool, key -> new InPool());
      inPool.version++;
      if (attempt.endsBy().isPresent()) {
        inPool.declared.add(attempt);
      } else {
        inPool
            .undeclared
            .computeIfAbsent(attempt.job().queue(), key -> new UndeclaredEnds())
            .add(attempt);
        nodesIn(pool, attempt).forEach(inPool.nodes::add);
      }
    }
  }

  public void remove(LiveAttempt attempt) {
    for (PoolState pool : pools(attempt)) {
      InPool inPool = byPool.get(pool);
      if (inPool == null) {
        continue;
      }
      inPool.version++;
      if (attempt.endsBy().isPresent()) {
        inPool.declared.remove(attempt);
        continue;
      }
      nodesIn(pool, attempt).forEach(inPool.nodes::remove);
      QueueState queue = attempt.job().queue();
      UndeclaredEnds undeclared = inPool.undeclared.get(queue);
      if (undeclared != null && undeclared.removeLast(attempt)) {
        inPool.undeclared.remove(queue);
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
    InPool inPool = byPool.computeIfAbsent(pool, key -> new InPool());
    long version = version(pool);
    if (inPool.outlooksAt != version || !inPool.outlooksOf.equals(ends.now())) {
      inPool.outlooks.clear();
      inPool.outlooksAt = version;
      inPool.outlooksOf = ends.now();
    }
    return new ExpectedEnds(
        inPool.outlooks.computeIfAbsent(ends, key -> new ExpectedEnds.Outlook(inPool, key)),
        attempts);
  }

  private Set<NodeState> nodesIn(PoolState pool, LiveAttempt attempt) {
    if (attempt.workers() == 1) {
      return Set.of(attempt.nodes().getFirst());
    }
    Set<NodeState> nodes = new LinkedHashSet<>(attempt.nodes());
    nodes.removeIf(node -> poolOf(node) != pool);
    return nodes;
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
