package io.headgate.scheduler.core.queue;

import io.headgate.scheduler.core.catalog.PoolId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The guards that keep the jobs of a queue from headroom that others hold (O7); mostly none.
///
/// @param everywhere of the limits that cover all pools
/// @param byPool of the limits of the queue's tenant, each of which covers one pool
/// @param <J> the jobs
public record Guards<J>(List<Guard<J>> everywhere, Map<PoolId, List<Guard<J>>> byPool) {
  public Guards {
    everywhere = List.copyOf(everywhere);
    byPool = Map.copyOf(byPool);
  }

  public static <J> Guards<J> none() {
    return new Guards<>(List.of(), Map.of());
  }

  /// The guards of the tenant's limits in a pool.
  List<Guard<J>> in(PoolId pool) {
    return byPool.getOrDefault(pool, List.of());
  }

  /// The guard that keeps the job from starting in any pool; null: none does.
  public @Nullable Guard<J> stopping(J job) {
    return Guard.stopping(everywhere, job);
  }

  /// The guard that keeps the job from starting; null: none does, or a pool is left.
  ///
  /// @param routes that are open to the job
  @Nullable Guard<J> stopping(J job, List<Route> routes) {
    Guard<J> first = stopping(job);
    if (first != null || byPool.isEmpty()) {
      return first;
    }
    for (Route route : routes) {
      Guard<J> there = Guard.stopping(in(route.pool().id()), job);
      if (there == null) {
        return null;
      }
      first = first == null ? there : first;
    }
    return first;
  }

  /// The guard that keeps the job from starting in the pool; null: none does.
  @Nullable Guard<J> stopping(J job, PoolId pool) {
    Guard<J> first = stopping(job);
    return first == null ? Guard.stopping(in(pool), job) : first;
  }

  /// The pools in which the job leaves its tenant's headroom to those that hold it.
  Set<PoolId> left(J job) {
    Set<PoolId> left = new HashSet<>();
    byPool.forEach((pool, guards) -> {
      if (Guard.stopping(guards, job) != null) {
        left.add(pool);
      }
    });
    return left;
  }

  /// The routes on which the job may start.
  List<Route> open(J job, List<Route> routes) {
    if (byPool.isEmpty()) {
      return routes;
    }
    List<Route> open = new ArrayList<>(routes);
    open.removeIf(route -> Guard.stopping(in(route.pool().id()), job) != null);
    return open;
  }
}
