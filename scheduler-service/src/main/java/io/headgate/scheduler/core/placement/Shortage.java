package io.headgate.scheduler.core.placement;

import io.headgate.scheduler.core.explain.Dimension;

/// What the nodes of a pool lack right now for a shape of which enough GPU is idle in the pool.
public final class Shortage {
  private Shortage() {}

  /// The first dimension without which one worker would fit somewhere; the devices, when it is none
  /// alone or when only not all workers of a gang fit.
  public static Dimension dimension(PoolState pool, Shape shape) {
    if (shape.cpuMillis() > 0 && fits(pool, with(shape, 0, shape.memoryBytes()))) {
      return Dimension.CPU;
    }
    if (shape.memoryBytes() > 0 && fits(pool, with(shape, shape.cpuMillis(), 0))) {
      return Dimension.MEMORY;
    }
    if (shape.gpuMemoryBytes() > 0 && fits(pool, withoutGpuMemory(shape))) {
      return Dimension.GPU_MEMORY;
    }
    return shape.units() == 0 ? Dimension.CPU : Dimension.DEVICE;
  }

  private static boolean fits(PoolState pool, Shape shape) {
    for (StateGroup group : pool.groups()) {
      if (group.state().workers(shape) > 0) {
        return true;
      }
    }
    return false;
  }

  private static Shape with(Shape shape, long cpuMillis, long memoryBytes) {
    return new Shape(
        shape.units(), shape.gpuMemoryBytes(), cpuMillis, memoryBytes, shape.isolation(), 1);
  }

  private static Shape withoutGpuMemory(Shape shape) {
    return new Shape(
        shape.units(), 0, shape.cpuMillis(), shape.memoryBytes(), shape.isolation(), 1);
  }
}
