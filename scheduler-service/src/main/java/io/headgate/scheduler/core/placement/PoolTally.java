package io.headgate.scheduler.core.placement;

import static io.headgate.type.GpuQuantity.UNITS_PER_GPU;

/// What the devices of a pool or a node have besides what attempts use, in GPU units. A node that a
/// new leader waits for counts as in service.
///
/// @param held free, and kept for waiting jobs
/// @param idle free for any job, the pool's ceiling not counted
/// @param down unused on nodes or devices that take no work
public record PoolTally(long held, long idle, long down) {
  public static final PoolTally NOTHING = new PoolTally(0, 0, 0);

  static PoolTally of(NodeState node) {
    if (node.isRemoved()) {
      return NOTHING;
    }
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
    return new PoolTally(held, idle, down);
  }

  PoolTally plus(PoolTally more) {
    return new PoolTally(held + more.held, idle + more.idle, down + more.down);
  }

  PoolTally minus(PoolTally less) {
    return new PoolTally(held - less.held, idle - less.idle, down - less.down);
  }
}
