package io.headgate.scheduler.core.usage;

import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.type.GpuQuantity;

/// The usage of a policy.
///
/// @param used by attempts, those that stop included
/// @param stopping the part of `used` whose attempts were asked to stop
/// @param held kept for its waiting jobs
/// @param entitled the part of `used` inside the reservation
/// @param overReservation the part of `used` above it
public record PolicyUsage(
    PolicyId policy,
    GpuQuantity reservation,
    GpuQuantity limit,
    GpuQuantity used,
    GpuQuantity stopping,
    GpuQuantity held,
    GpuQuantity entitled,
    GpuQuantity overReservation,
    int running,
    int waiting) {}
