package io.headgate.scheduler.core.job;

import io.headgate.scheduler.core.catalog.DepartmentId;
import io.headgate.scheduler.core.catalog.PoolId;
import java.util.Optional;

/// A limit in whose scope a job holds headroom (O7).
///
/// @param department the level that sets the limit; absent: the policy of the job, or its tenant
/// @param pool where the share of the job's tenant sets the limit; absent: another level does, and
///   the limit covers all pools
public record HeadroomScope(Bound bound, Optional<DepartmentId> department, Optional<PoolId> pool) {
  /// The kind of a limit.
  public enum Bound {
    /// The limit of the level (A2, A3).
    LIMIT,
    /// The limit of the job's user (A4).
    USER_LIMIT,
    /// The reservation of the level, for a job that starts only if it is entitled (A5).
    RESERVATION,
    /// The reservation of the level, for non-preemptible jobs (A8).
    NON_PREEMPTIBLE
  }

  public static HeadroomScope ofPolicy(Bound bound) {
    return new HeadroomScope(bound, Optional.empty(), Optional.empty());
  }

  public static HeadroomScope of(Bound bound, DepartmentId department) {
    return new HeadroomScope(bound, Optional.of(department), Optional.empty());
  }

  public static HeadroomScope ofTenant(Bound bound, PoolId pool) {
    return new HeadroomScope(bound, Optional.empty(), Optional.of(pool));
  }
}
