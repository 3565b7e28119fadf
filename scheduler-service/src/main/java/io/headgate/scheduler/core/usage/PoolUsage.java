package io.headgate.scheduler.core.usage;

import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.type.GpuQuantity;

/// The usage of a pool.
///
/// @param capacity the offered units plus the used ones on nodes and devices that take no work, at
///   most its ceiling
/// @param offered the devices in service of nodes that take work
/// @param used by attempts, those that stop included
/// @param held idle slices that are kept for a waiting job
/// @param idleForHolds the part of `held` that idles for jobs that were blocked for too long (O7);
///   the rest waits for victims to leave (P5)
/// @param idle free for any job on nodes that take work, as far as the ceiling lets it start
public record PoolUsage(
    PoolId pool,
    GpuQuantity capacity,
    GpuQuantity offered,
    GpuQuantity used,
    GpuQuantity held,
    GpuQuantity idleForHolds,
    GpuQuantity idle,
    int nodes,
    int readyNodes,
    int running) {}
