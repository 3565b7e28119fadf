package io.headgate.scheduler.core;

import io.headgate.scheduler.core.catalog.Pool;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.job.PastUse;
import io.headgate.scheduler.core.placement.PoolState;
import io.headgate.scheduler.core.rights.Account;
import io.headgate.scheduler.core.rights.DepartmentAccount;
import io.headgate.scheduler.core.rights.PolicyAccount;
import io.headgate.scheduler.core.rights.UseHistory;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Keeps the past use of all levels of rights, in the pools that have a half-life (O4).
///
/// Use changes in decisions only, and each decision tells the changes with their time. So what was
/// told last, the time and the half-life say all about the past: a new leader loses nothing.
final class PastUses {
  private PastUses() {}

  /// A pool has another configuration, or is gone.
  static void configure(World world, PoolState pool) {
    UseHistory history = history(world, pool);
    history.configure(pool.pool().flatMap(Pool::halfLife));
    if (history.isEmpty()) {
      world.rememberingPools.remove(pool);
    } else {
      world.rememberingPools.add(pool);
    }
  }

  /// A decision begins: the averages are those of this time until it ends.
  static void begin(World world, Instant now) {
    for (PoolState pool : world.rememberingPools) {
      history(world, pool).begin(now);
    }
  }

  /// A decision ends: the use is the present one from now on.
  static void tell(World world, Transitions transitions, Instant now) {
    if (world.rememberingPools.isEmpty()) {
      return;
    }
    begin(world, now);
    for (PoolState pool : world.rememberingPools) {
      history(world, pool)
          .renew(levels(world, pool))
          .forEach(past -> transitions.emit(new Effect.PastUseChanged(past)));
    }
    world.rememberingPools.removeIf(pool -> history(world, pool).isEmpty());
  }

  /// Takes the past use that was told before. The use of levels and pools that are gone is dropped.
  static void restore(World world, List<PastUse> told) {
    Map<PoolState, Set<PastUse.Level>> levels = new HashMap<>();
    for (PastUse past : told) {
      PoolState pool = world.pools.get(past.pool());
      if (pool != null
          && world.rememberingPools.contains(pool)
          && levels
              .computeIfAbsent(pool, key -> names(levels(world, key)))
              .contains(past.level())) {
        history(world, pool).restore(past);
      }
    }
  }

  private static Set<PastUse.Level> names(List<Account> levels) {
    Set<PastUse.Level> names = new HashSet<>();
    levels.forEach(level -> names.add(level.level()));
    return names;
  }

  /// The past use that a new leader must know, by pool.
  static List<PastUse> all(World world) {
    List<PastUse> all = new ArrayList<>();
    for (PoolState pool : world.rememberingPools) {
      all.addAll(history(world, pool).all(levels(world, pool)));
    }
    return all;
  }

  private static UseHistory history(World world, PoolState pool) {
    return world.tenants(pool).history();
  }

  /// The levels of all jobs that may run in the pool.
  private static List<Account> levels(World world, PoolState pool) {
    TenantId tenant = pool.id().tenant();
    @Nullable TenantId only = tenant.equals(TenantId.PLATFORM) ? null : tenant;
    List<Account> levels = new ArrayList<>(world.tenants(pool).accounts());
    for (DepartmentAccount department : world.departments.accounts()) {
      if (only == null || only.equals(department.id().tenant())) {
        levels.add(department);
      }
    }
    for (PolicyAccount policy : world.accounts.values()) {
      if (only == null || only.equals(policy.id().tenant())) {
        levels.add(policy);
      }
    }
    return levels;
  }
}
