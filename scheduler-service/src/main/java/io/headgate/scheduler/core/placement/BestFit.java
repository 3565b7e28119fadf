package io.headgate.scheduler.core.placement;

import static io.headgate.type.GpuQuantity.UNITS_PER_GPU;

/// The placement policy: leave as little as possible beside the job.
///
/// A part of a device goes where the least of the device is left, so that whole devices stay whole;
/// then every job goes to the node on which the least GPU is left, so that large jobs find empty
/// nodes; then to the one with the least CPU left. A job without GPU so avoids nodes whose GPUs are
/// free.
///
/// Half a GPU, with node a [1/2, 1] and node b [3/4]: a's half leaves 0, b's three quarters leave
/// 1/4; it goes to a although b has less.
final class BestFit {
  private static final int CPU_BITS = 20;
  private static final int NODE_BITS = 26;
  private static final long MAX_CPU = (1L << CPU_BITS) - 1;
  private static final long MAX_NODE = (1L << NODE_BITS) - 1;

  private BestFit() {}

  /// Lower is better. Only for states in which the shape fits.
  static long cost(Shape shape, FreeState state) {
    long onDevice = shape.isFraction() ? state.tightestUnits(shape) - shape.units() : 0;
    if (onDevice < 0 || onDevice >= UNITS_PER_GPU) {
      throw new IllegalArgumentException(shape + " does not fit");
    }
    long onNode = Math.min(state.totalUnits() - shape.units(), MAX_NODE);
    long cpu = Math.min(state.cpuMillis() - shape.cpuMillis(), MAX_CPU);
    return (onDevice << (NODE_BITS + CPU_BITS)) | (onNode << CPU_BITS) | cpu;
  }
}
