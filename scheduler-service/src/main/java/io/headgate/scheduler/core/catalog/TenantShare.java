package io.headgate.scheduler.core.catalog;

import io.headgate.type.GpuQuantity;
import java.util.Optional;

/// One tenant's rights in a pool that tenants share (A3). The owner of the pool sets them.
///
/// @param reservation the capacity that the tenant can take back from other tenants; absent: the
///   sum of its members' reservations
/// @param limit the tenant never exceeds it there, even when the pool idles; absent: none
/// @param weight its share among tenants of the capacity above the reservations, 1 to
///   [Policy#MAX_WEIGHT]
public record TenantShare(
    TenantId tenant,
    PoolId pool,
    Optional<GpuQuantity> reservation,
    Optional<GpuQuantity> limit,
    int weight) {
  public TenantShare {
    if (weight < 1 || weight > Policy.MAX_WEIGHT) {
      throw new IllegalArgumentException(
          "tenant %s in pool %s: weight %d".formatted(tenant, pool, weight));
    }
    if (limit.isPresent()
        && reservation.isPresent()
        && reservation.get().compareTo(limit.get()) > 0) {
      throw new IllegalArgumentException(
          "tenant %s in pool %s: reservation %s is above limit %s"
              .formatted(tenant, pool, reservation.get(), limit.get()));
    }
  }
}
