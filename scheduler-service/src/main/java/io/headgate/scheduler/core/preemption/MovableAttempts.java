package io.headgate.scheduler.core.preemption;

import io.headgate.scheduler.core.placement.PoolState;
import io.headgate.scheduler.core.queue.LiveAttempt;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// The running attempts of jobs that declare themselves movable, by pool (P11).
public final class MovableAttempts {
  /// In the order of their assignment.
  private final Map<PoolState, TreeMap<Long, LiveAttempt>> byPool = new HashMap<>();

  /// Takes in an attempt that nothing has asked to stop, if its job is movable.
  public void add(LiveAttempt attempt) {
    if (attempt.job().spec().movable()) {
      byPool
          .computeIfAbsent(attempt.pool(), key -> new TreeMap<>())
          .put(attempt.sequence(), attempt);
    }
  }

  /// Forgets an attempt that ends or stops.
  public void remove(LiveAttempt attempt) {
    TreeMap<Long, LiveAttempt> known = byPool.get(attempt.pool());
    if (known != null) {
      known.remove(attempt.sequence(), attempt);
    }
  }

  /// Whether there are some in the pool.
  public boolean areSomeIn(PoolState pool) {
    TreeMap<Long, LiveAttempt> known = byPool.get(pool);
    return known != null && !known.isEmpty();
  }

  /// The attempts of a pool, in the order of their assignment.
  List<LiveAttempt> in(PoolState pool) {
    TreeMap<Long, LiveAttempt> known = byPool.get(pool);
    return known == null ? List.of() : new ArrayList<>(known.values());
  }
}
