package io.headgate.scheduler.core.queue;

import io.headgate.scheduler.core.catalog.Pool;
import io.headgate.scheduler.core.placement.FitAfterReports;
import io.headgate.scheduler.core.placement.PoolState;
import io.headgate.scheduler.core.placement.Ranking;
import io.headgate.scheduler.core.rights.Levels;
import io.headgate.scheduler.core.rights.PolicyAccount;
import io.headgate.scheduler.core.rights.TenantAccount;
import io.headgate.scheduler.core.rights.UpperLevels;
import java.time.Duration;
import java.util.Optional;

/// One pool that a queue's jobs may use.
///
/// @param position the profile's execution priority in the pool, 0 first (O2)
/// @param ranking the pool's nodes as the profile's shape wants them
/// @param upper the levels above the queue's policy, as far as this pool goes (A3)
public record Route(PoolState pool, int position, Ranking ranking, UpperLevels upper) {
  /// The tenant of the queue's policy in the pool.
  public TenantAccount tenant() {
    return upper.tenant();
  }

  /// Whether a job fits there now, the pool's ceiling and the tenant's limit in it included.
  public boolean fits() {
    return ranking.fits() && hasRoomForTenant();
  }

  /// Whether a job fits there now, or will when nodes have reported that a new leader waits for.
  boolean willFit() {
    return hasRoomForTenant() && (ranking.fits() || FitAfterReports.fits(pool, ranking));
  }

  /// Whether the tenant's limit lets a job start there.
  public boolean hasRoomForTenant() {
    return tenant().hasRoom(need());
  }

  /// Whether the tenant's reservation lets a non-preemptible job start there (A8).
  public boolean admitsNonPreemptible() {
    return tenant().admitsNonPreemptible(need());
  }

  /// The same route as if no department limited its jobs.
  public Route withoutDepartments() {
    return new Route(pool, position, ranking, upper.withoutDepartments());
  }

  /// The levels of a policy's jobs there.
  Levels levels(PolicyAccount policy) {
    return new Levels(policy, upper.tenant());
  }

  /// How long a job waits until the pool promotes it (O7).
  Optional<Duration> promoteAfter() {
    return pool.pool().flatMap(Pool::promoteAfter);
  }

  /// Units of GPU that a job needs.
  public long need() {
    return ranking.shape().needUnits();
  }
}
