package io.headgate.scheduler.core.usage;

import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.type.GpuQuantity;
import java.util.Optional;

/// The usage of a tenant in a pool that tenants share (A3).
///
/// @param limit absent: none
/// @param used by attempts, those that stop included
/// @param overReservation the part of `used` above the reservation
public record TenantUsage(
    TenantId tenant,
    PoolId pool,
    GpuQuantity reservation,
    Optional<GpuQuantity> limit,
    GpuQuantity used,
    GpuQuantity overReservation) {}
