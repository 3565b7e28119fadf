package io.headgate.scheduler.core.placement;

import io.headgate.scheduler.core.explain.Dimension;
import java.util.ArrayList;
import java.util.List;

/// Names the dimension that the nodes of a pool lack right now for a shape, although enough GPU is
/// idle in the pool.
public final class Shortage {
  private Shortage() {}

  /// The first dimension without which one worker would fit somewhere. It is the devices when no
  /// dimension alone is the obstacle, or only some workers of a gang fit. It is the geometry when a
  /// large enough part of a sliced device is idle.
  public static Dimension dimension(PoolState pool, Shape shape) {
    if (shape.images() && fits(pool, withoutImages(shape))) {
      return Dimension.IMAGES;
    }
    if (shape.cpuMillis() > 0 && fits(pool, with(shape, 0, shape.memoryBytes()))) {
      return Dimension.CPU;
    }
    if (shape.memoryBytes() > 0 && fits(pool, with(shape, shape.cpuMillis(), 0))) {
      return Dimension.MEMORY;
    }
    if (!shape.gpuModels().isEmpty() && fits(pool, withAnyModel(shape))) {
      return Dimension.GPU_MODEL;
    }
    if (shape.gpuMemoryBytes() > 0 && fits(pool, withoutGpuMemory(shape))) {
      return Dimension.GPU_MEMORY;
    }
    if (shape.units() == 0) {
      return Dimension.CPU;
    }
    return isPlaceless(pool, shape) ? Dimension.GEOMETRY : Dimension.DEVICE;
  }

  /// The nodes of the pool with room for one worker that get no work for a while, because they
  /// rejected some.
  public static List<NodeState> setAside(PoolState pool, Shape shape) {
    List<NodeState> fitting = new ArrayList<>();
    for (NodeState node : pool.lists().setAside()) {
      if (node.freeNow().workers(shape) > 0) {
        fitting.add(node);
      }
    }
    return fitting;
  }

  /// Whether some node of the pool gets no work for a while, because it rejected some.
  public static boolean someSetAside(PoolState pool) {
    return !pool.lists().setAside().isEmpty();
  }

  private static boolean isPlaceless(PoolState pool, Shape shape) {
    for (StateGroup group : pool.groups()) {
      if (group.state().isPlaceless(shape)) {
        return true;
      }
    }
    return false;
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
        shape.units(),
        shape.gpuMemoryBytes(),
        cpuMillis,
        memoryBytes,
        shape.isolation(),
        shape.gpuModels(),
        shape.images(),
        1);
  }

  private static Shape withoutImages(Shape shape) {
    return new Shape(
        shape.units(),
        shape.gpuMemoryBytes(),
        shape.cpuMillis(),
        shape.memoryBytes(),
        shape.isolation(),
        shape.gpuModels(),
        false,
        1);
  }

  private static Shape withAnyModel(Shape shape) {
    return new Shape(
        shape.units(),
        shape.gpuMemoryBytes(),
        shape.cpuMillis(),
        shape.memoryBytes(),
        shape.isolation(),
        List.of(),
        shape.images(),
        1);
  }

  private static Shape withoutGpuMemory(Shape shape) {
    return new Shape(
        shape.units(),
        0,
        shape.cpuMillis(),
        shape.memoryBytes(),
        shape.isolation(),
        shape.gpuModels(),
        shape.images(),
        1);
  }
}
