package io.headgate.scheduler.core.job;

import io.headgate.scheduler.core.catalog.DepartmentId;
import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.catalog.TenantId;
import java.time.Instant;

/// The past over-reservation use of one level of rights, as a pool with a half-life counts it (O4).
///
/// @param average of the use until then, in units of 1/126000 GPU
/// @param present the over-reservation use since then, in the same units
public record PastUse(PoolId pool, Level level, double average, long present, Instant at) {
  /// A level of rights.
  public sealed interface Level {
    /// The tenant in the pool.
    record OfTenant(TenantId tenant) implements Level {}

    record OfDepartment(DepartmentId department) implements Level {}

    record OfPolicy(PolicyId policy) implements Level {}
  }

  /// Whether it says no more than its absence.
  public boolean isNothing() {
    return average == 0 && present == 0;
  }
}
