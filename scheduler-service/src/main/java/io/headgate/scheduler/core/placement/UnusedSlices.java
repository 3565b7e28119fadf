package io.headgate.scheduler.core.placement;

import static io.headgate.type.GpuQuantity.UNITS_PER_GPU;

import io.headgate.scheduler.core.job.Slice;
import io.headgate.type.GpuQuantity;
import java.util.ArrayList;
import java.util.List;

/// The unused parts of a node's devices, by device index.
public final class UnusedSlices {
  private UnusedSlices() {}

  /// The slices that are down: they take no work. They add up to [PoolTally#down].
  public static List<Slice> down(NodeState node) {
    List<Slice> slices = new ArrayList<>();
    if (node.isRemoved()) {
      return slices;
    }
    for (int slot = 0; slot < node.deviceCount(); slot++) {
      DeviceState device = node.device(slot);
      boolean takesWork = node.willTakeWork() && device.isOffered();
      if (device.kindWhenInService() != null && !takesWork) {
        add(slices, device, UNITS_PER_GPU - device.usedUnits());
      }
    }
    return slices;
  }

  /// The slices that are neither down nor held while a new leader waits for the node; none of
  /// another node.
  public static List<Slice> awaited(NodeState node) {
    List<Slice> slices = new ArrayList<>();
    if (!node.isAwaited()) {
      return slices;
    }
    for (int slot = 0; slot < node.deviceCount(); slot++) {
      DeviceState device = node.device(slot);
      if (device.isOffered()) {
        add(slices, device, Math.min(UNITS_PER_GPU - device.usedUnits(), device.idleUnits()));
      }
    }
    return slices;
  }

  private static void add(List<Slice> slices, DeviceState device, long units) {
    if (units > 0) {
      slices.add(new Slice(device.index(), device.uuid(), new GpuQuantity(units), 0));
    }
  }
}
