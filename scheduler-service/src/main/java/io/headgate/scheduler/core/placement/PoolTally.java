package io.headgate.scheduler.core.placement;

import static io.headgate.type.GpuQuantity.UNITS_PER_GPU;

import org.jspecify.annotations.Nullable;

/// Sums over the devices of a pool or a node, in GPU units. A node that a new leader waits for
/// counts as in service.
///
/// @param held free, and kept for waiting jobs
/// @param idle free for any job, the pool's ceiling not counted
/// @param down unused on nodes or devices that take no work
/// @param offered on devices in service of nodes that take work now
/// @param free the part of `offered` that is free for any job
/// @param readyNodes that take work now
public record PoolTally(long held, long idle, long down, long offered, long free, int readyNodes) {
  public static final PoolTally NOTHING = new PoolTally(0, 0, 0, 0, 0, 0);

  /// @param state the free capacity of a node that takes work now; null: it takes none
  static PoolTally of(NodeState node, @Nullable FreeState state) {
    if (node.isRemoved()) {
      return NOTHING;
    }
    long offered = state == null ? 0 : node.offeredUnits();
    long available = state == null ? 0 : state.totalUnits();
    long held = 0;
    long idle = 0;
    long down = 0;
    for (int slot = 0; slot < node.deviceCount(); slot++) {
      DeviceState device = node.device(slot);
      if (device.kindWhenInService() == null) {
        continue;
      }
      long unused = Math.max(0, UNITS_PER_GPU - device.usedUnits());
      if (node.willTakeWork() && device.isOffered()) {
        long free = Math.min(unused, device.idleUnits());
        idle += free;
        held += unused - free;
      } else {
        down += unused;
      }
    }
    return new PoolTally(held, idle, down, offered, available, state == null ? 0 : 1);
  }

  PoolTally plus(PoolTally more) {
    return new PoolTally(
        held + more.held,
        idle + more.idle,
        down + more.down,
        offered + more.offered,
        free + more.free,
        readyNodes + more.readyNodes);
  }

  PoolTally minus(PoolTally less) {
    return new PoolTally(
        held - less.held,
        idle - less.idle,
        down - less.down,
        offered - less.offered,
        free - less.free,
        readyNodes - less.readyNodes);
  }
}
