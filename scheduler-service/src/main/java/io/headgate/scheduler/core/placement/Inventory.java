package io.headgate.scheduler.core.placement;

import static io.headgate.type.GpuQuantity.UNITS_PER_GPU;

import io.headgate.scheduler.core.explain.Dimension;
import org.jspecify.annotations.Nullable;

/// What nodes have when nothing is on them, whether or not they take work at the moment.
public final class Inventory {
  /// What the best node lacks.
  ///
  /// @param asked in the dimension's unit
  /// @param most what the best node has of it
  public record Shortfall(Dimension dimension, long asked, long most) {}

  private Inventory() {}

  /// Whether one worker of the shape fits some node. A pool without nodes may get some that fit.
  static boolean mayFit(Iterable<NodeState> nodes, Shape shape) {
    boolean none = true;
    for (NodeState node : nodes) {
      if (!node.isRemoved()) {
        if (fits(node, shape)) {
          return true;
        }
        none = false;
      }
    }
    return none;
  }

  private static boolean fits(NodeState node, Shape shape) {
    int count = node.deviceCount();
    @Nullable DeviceKind[] kinds = new @Nullable DeviceKind[count];
    long[] units = new long[count];
    long[] memory = new long[count];
    for (int slot = 0; slot < count; slot++) {
      DeviceKind kind = node.device(slot).kind();
      kinds[slot] = kind;
      units[slot] = UNITS_PER_GPU;
      memory[slot] = kind == null ? 0 : kind.memoryBytes();
    }
    return Fit.workers(
            shape, node.node().cpuMillis(), node.node().memoryBytes(), kinds, units, memory)
        > 0;
  }

  /// The first dimension in which no node is large enough. When each is large enough in every
  /// dimension, but none in all, it is the devices.
  public static Shortfall shortfall(PoolState pool, Shape shape) {
    long devices = 0;
    long gpuMemory = 0;
    long isolation = 0;
    long cpu = 0;
    long memory = 0;
    for (NodeState node : pool.nodes()) {
      if (node.isRemoved()) {
        continue;
      }
      int belonging = 0;
      for (int slot = 0; slot < node.deviceCount(); slot++) {
        DeviceKind kind = node.device(slot).kind();
        if (kind != null) {
          belonging++;
          gpuMemory = Math.max(gpuMemory, kind.memoryBytes());
          isolation = Math.max(isolation, kind.isolation().level());
        }
      }
      devices = Math.max(devices, belonging);
      cpu = Math.max(cpu, node.node().cpuMillis());
      memory = Math.max(memory, node.node().memoryBytes());
    }
    if (shape.units() > devices * UNITS_PER_GPU) {
      return new Shortfall(Dimension.GPU, shape.units(), devices * UNITS_PER_GPU);
    }
    if (shape.units() > 0 && shape.gpuMemoryBytes() > gpuMemory) {
      return new Shortfall(Dimension.GPU_MEMORY, shape.gpuMemoryBytes(), gpuMemory);
    }
    if (shape.isFraction() && shape.isolation().level() > isolation) {
      return new Shortfall(Dimension.ISOLATION, shape.isolation().level(), isolation);
    }
    if (shape.cpuMillis() > cpu) {
      return new Shortfall(Dimension.CPU, shape.cpuMillis(), cpu);
    }
    if (shape.memoryBytes() > memory) {
      return new Shortfall(Dimension.MEMORY, shape.memoryBytes(), memory);
    }
    return new Shortfall(Dimension.DEVICE, shape.units(), devices * UNITS_PER_GPU);
  }
}
