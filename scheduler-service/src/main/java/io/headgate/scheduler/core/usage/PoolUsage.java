package io.headgate.scheduler.core.usage;

import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.type.GpuQuantity;

/// What is used of a pool.
///
/// @param capacity what it offers and what is used on nodes and devices that take no work, at most
///   its ceiling
/// @param offered what the devices in service of its nodes that take work offer
/// @param used by attempts, those that stop included
/// @param held idle slices that are kept for a waiting job
/// @param idle on nodes that take work, free for anybody
public record PoolUsage(
    PoolId pool,
    GpuQuantity capacity,
    GpuQuantity offered,
    GpuQuantity used,
    GpuQuantity held,
    GpuQuantity idle,
    int nodes,
    int readyNodes,
    int running) {}
