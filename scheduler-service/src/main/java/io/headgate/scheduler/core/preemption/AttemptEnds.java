package io.headgate.scheduler.core.preemption;

import io.headgate.scheduler.core.catalog.PoolId;
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
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;

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

    /// The outlooks of the last time, by what jobs expect; looked up in only.
    private final Map<Ends, ExpectedEnds.Outlook> outlooks = new HashMap<>();

    private Instant outlooksOf = Instant.MIN;
    private long outlooksAt = -1;
  }

  /// Counts the attempts that came and went, of all pools: an end anywhere may add to what is known
  /// of a queue's run times.
  private long version;

  private final Function<PoolId, PoolState> pools;
  private final Map<PoolState, InPool> byPool = new HashMap<>();

  /// @param pools finds a node's pool
  public AttemptEnds(Function<PoolId, PoolState> pools) {
    this.pools = pools;
  }

  /// Takes in an attempt that was not asked to stop. Before its end changes or one of its nodes
  /// goes to another pool it must be taken out.
  public void add(LiveAttempt attempt) {
    version++;
    for (PoolState pool : pools(attempt)) {
      InPool attempts = byPool.computeIfAbsent(pool, key -> new InPool());
      if (attempt.endsBy().isPresent()) {
        attempts.declared.add(attempt);
      } else {
        attempts
            .undeclared
            .computeIfAbsent(attempt.job().queue(), key -> new UndeclaredEnds())
            .add(attempt);
      }
    }
  }

  public void remove(LiveAttempt attempt) {
    version++;
    for (PoolState pool : pools(attempt)) {
      InPool attempts = byPool.get(pool);
      if (attempts == null) {
        continue;
      }
      if (attempt.endsBy().isPresent()) {
        attempts.declared.remove(attempt);
        continue;
      }
      QueueState queue = attempt.job().queue();
      UndeclaredEnds undeclared = attempts.undeclared.get(queue);
      if (undeclared != null && undeclared.removeLast(attempt)) {
        attempts.undeclared.remove(queue);
      }
    }
  }

  /// The expected ends of the attempts on nodes of the pool.
  public ExpectedEnds expect(PoolState pool, Ends ends) {
    InPool attempts = byPool.computeIfAbsent(pool, key -> new InPool());
    if (attempts.outlooksAt != version || !attempts.outlooksOf.equals(ends.now())) {
      attempts.outlooks.clear();
      attempts.outlooksAt = version;
      attempts.outlooksOf = ends.now();
    }
    return new ExpectedEnds(
        attempts.outlooks.computeIfAbsent(ends, key -> new ExpectedEnds.Outlook(attempts, key)));
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
