package io.headgate.scheduler.core.placement;

import static io.headgate.type.GpuQuantity.UNITS_PER_GPU;

/// Leaves as little as possible beside the job.
///
/// A part of a device goes where the least of the device is left, so that whole devices stay whole.
/// Then every job goes to the node with the least GPU left, so that large jobs find empty nodes;
/// then to the one with the least CPU left. So a job without GPU avoids nodes with free GPUs.
///
/// Half a GPU, with node a [1/2, 1] and node b [3/4]: on a the half leaves 0, on b 1/4; it goes to
/// a although b has less.
record TightestFit() implements Rater {
  private static final int CPU_BITS = 20;
  private static final int NODE_BITS = 26;
  private static final long MAX_CPU = (1L << CPU_BITS) - 1;
  private static final long MAX_NODE = (1L << NODE_BITS) - 1;

  @Override
  public Rating rate(Shape shape, FreeState state) {
    int device = shape.isFraction() ? state.tightest(shape) : -1;
    return new Rating.Fixed(0, cost(shape, state, device), device);
  }

  /// Decides between places that another policy rates equal.
  static long tie(Shape shape, FreeState state) {
    return cost(shape, state, shape.isFraction() ? state.tightest(shape) : -1);
  }

  private static long cost(Shape shape, FreeState state, int device) {
    long onDevice = device >= 0 ? state.units(device) - shape.units() : 0;
    if (onDevice < 0 || onDevice >= UNITS_PER_GPU) {
      throw new IllegalArgumentException(shape + " does not fit");
    }
    if (device >= 0 && state.wastes(shape, device)) {
      // The most that can be left beside the job: any other place is better.
      onDevice = UNITS_PER_GPU;
    }
    long onNode = Math.min(state.totalUnits() - shape.units(), MAX_NODE);
    long cpu = Math.min(state.cpuMillis() - shape.cpuMillis(), MAX_CPU);
    return (onDevice << (NODE_BITS + CPU_BITS)) | (onNode << CPU_BITS) | cpu;
  }
}
