package io.headgate.scheduler.core.placement;

import static io.headgate.type.GpuQuantity.UNITS_PER_GPU;

import io.headgate.scheduler.core.catalog.Instance;
import io.headgate.scheduler.core.explain.Dimension;
import io.headgate.scheduler.core.node.Device;
import io.headgate.scheduler.core.node.Geometry;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The capacity of empty nodes, whether or not they and their devices take work at the moment.
public final class Inventory {
  /// The dimension in which even the best node is too small.
  ///
  /// @param asked in the dimension's unit
  /// @param most the capacity of the best node
  public record Shortfall(Dimension dimension, long asked, long most) {
    /// The available part of the need; 1: enough.
    private double part() {
      return asked <= most ? 1 : most / (double) asked;
    }
  }

  /// More workers than anybody asks for on one instance; of those that take nothing any number
  /// fits.
  private static final int MOST_ON_INSTANCE = 100_000;

  private Inventory() {}

  /// Whether one worker of the shape fits some node. A pool without nodes may get some that fit.
  static boolean mayFit(Iterable<NodeState> nodes, Shape shape) {
    for (NodeState node : nodes) {
      if (!node.isRemoved()) {
        return someFits(nodes, shape);
      }
    }
    return true;
  }

  static boolean someFits(Iterable<NodeState> nodes, Shape shape) {
    for (NodeState node : nodes) {
      if (!node.isRemoved() && fits(node, shape)) {
        return true;
      }
    }
    return false;
  }

  /// How many workers of the shape fit on an empty instance, however many a job has.
  static int workers(Instance instance, Shape shape) {
    DeviceKind kind =
        DeviceKind.of(
            new Device(
                0,
                "",
                instance.gpuModel(),
                instance.gpuMemoryBytes(),
                new Geometry.Continuous(),
                instance.isolation()));
    @Nullable DeviceKind[] kinds = new @Nullable DeviceKind[instance.gpus()];
    long[] units = new long[instance.gpus()];
    long[] left = new long[instance.gpus()];
    Arrays.fill(kinds, kind);
    Arrays.fill(units, UNITS_PER_GPU);
    Arrays.fill(left, kind.whole());
    return Fit.workers(
        shape.withWorkers(MOST_ON_INSTANCE),
        instance.cpuMillis(),
        instance.memoryBytes(),
        kinds,
        units,
        left);
  }

  private static boolean fits(NodeState node, Shape shape) {
    if (shape.images() && !node.node().runsImages()) {
      return false;
    }
    int count = node.deviceCount();
    @Nullable DeviceKind[] kinds = new @Nullable DeviceKind[count];
    long[] units = new long[count];
    long[] left = new long[count];
    for (int slot = 0; slot < count; slot++) {
      DeviceKind kind = node.device(slot).kindWhenInService();
      kinds[slot] = kind;
      units[slot] = UNITS_PER_GPU;
      left[slot] = kind == null ? 0 : kind.whole();
    }
    return Fit.workers(
            shape, node.node().cpuMillis(), node.node().memoryBytes(), kinds, units, left)
        > 0;
  }

  /// The first dimension in which no node is large enough. If each dimension has such a node, but
  /// no node has all, the dimension that the nearest node lacks.
  public static Shortfall shortfall(Iterable<NodeState> nodes, Shape shape) {
    long devices = 0;
    long admitted = 0;
    long gpuMemory = 0;
    long isolation = 0;
    long cpu = 0;
    long memory = 0;
    boolean images = false;
    for (NodeState node : nodes) {
      if (node.isRemoved()) {
        continue;
      }
      images |= node.node().runsImages();
      int belonging = 0;
      int ofItsModels = 0;
      for (int slot = 0; slot < node.deviceCount(); slot++) {
        DeviceKind kind = node.device(slot).kindWhenInService();
        if (kind != null) {
          belonging++;
          if (!shape.admits(kind.model())) {
            continue;
          }
          ofItsModels++;
          gpuMemory = Math.max(gpuMemory, kind.memoryBytes());
          isolation = Math.max(isolation, kind.isolation().level());
        }
      }
      devices = Math.max(devices, belonging);
      admitted = Math.max(admitted, ofItsModels);
      cpu = Math.max(cpu, node.node().cpuMillis());
      memory = Math.max(memory, node.node().memoryBytes());
    }
    if (shape.images() && !images) {
      return new Shortfall(Dimension.IMAGES, 1, 0);
    }
    if (shape.units() > devices * UNITS_PER_GPU) {
      return new Shortfall(Dimension.GPU, shape.units(), devices * UNITS_PER_GPU);
    }
    if (shape.units() > admitted * UNITS_PER_GPU) {
      return new Shortfall(Dimension.GPU_MODEL, shape.units(), admitted * UNITS_PER_GPU);
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
    return nearest(nodes, shape);
  }

  /// The worst shortfall of the nearest node, when each dimension is large enough on some node but
  /// no node has all together. It names the devices when no single dimension is too small.
  private static Shortfall nearest(Iterable<NodeState> nodes, Shape shape) {
    Shortfall nearest = new Shortfall(Dimension.DEVICE, shape.units(), 0);
    for (NodeState node : nodes) {
      if (!node.isRemoved()) {
        Shortfall worst = worst(node, shape);
        nearest = worst.part() > nearest.part() ? worst : nearest;
      }
    }
    return nearest;
  }

  private static Shortfall worst(NodeState node, Shape shape) {
    if (shape.images() && !node.node().runsImages()) {
      return new Shortfall(Dimension.IMAGES, 1, 0);
    }
    long devices = 0;
    long admitted = 0;
    long serving = 0;
    long gpuMemory = 0;
    long isolation = 0;
    for (int slot = 0; slot < node.deviceCount(); slot++) {
      DeviceKind kind = node.device(slot).kindWhenInService();
      if (kind == null) {
        continue;
      }
      devices++;
      if (shape.admits(kind.model())) {
        admitted++;
        serving += serves(kind, shape) ? 1 : 0;
        gpuMemory = Math.max(gpuMemory, kind.memoryBytes());
        isolation = Math.max(isolation, kind.isolation().level());
      }
    }
    Shortfall worst =
        devices == admitted
            ? new Shortfall(Dimension.GPU, shape.units(), devices * UNITS_PER_GPU)
            : new Shortfall(Dimension.GPU_MODEL, shape.units(), admitted * UNITS_PER_GPU);
    long leastMemory = shape.units() > 0 ? shape.gpuMemoryBytes() : 0;
    long leastIsolation = shape.isFraction() ? shape.isolation().level() : 0;
    for (Shortfall other :
        List.of(
            new Shortfall(Dimension.GPU_MEMORY, leastMemory, gpuMemory),
            new Shortfall(Dimension.ISOLATION, leastIsolation, isolation),
            new Shortfall(Dimension.CPU, shape.cpuMillis(), node.node().cpuMillis()),
            new Shortfall(Dimension.MEMORY, shape.memoryBytes(), node.node().memoryBytes()))) {
      worst = other.part() < worst.part() ? other : worst;
    }
    // Enough of each resource, but too few devices that have all of them.
    return worst.part() < 1
        ? worst
        : new Shortfall(Dimension.DEVICE, shape.units(), serving * UNITS_PER_GPU);
  }

  /// Whether a worker may have the idle device, or its part of it.
  private static boolean serves(DeviceKind kind, Shape shape) {
    return shape.isFraction()
        ? Fit.parts(shape, kind, UNITS_PER_GPU, kind.whole()) > 0
        : Fit.isIdle(shape, kind, UNITS_PER_GPU, kind.whole());
  }
}
