package io.headgate.scheduler.core.placement;

import static io.headgate.type.GpuQuantity.UNITS_PER_GPU;

/// Places a job where the least of the node is left, CPU and GPU weighed against each other as if a
/// node had 128 CPUs and 8 GPUs; in the node, on the device with the least left. What clusters do
/// that know no better; for comparison.
///
/// Nodes with 2 GPUs and 64 CPUs, and with 4 GPUs and 16 CPUs free, a job of 1 GPU and 8 CPUs: 1/8
/// + 56/128 are left of the first, 3/8 + 8/128 of the second, which is less: it goes there.
record BestFit() implements Rater {
  private static final double CPU_MILLIS = 128_000;
  private static final double UNITS = 8.0 * UNITS_PER_GPU;

  @Override
  public Rating rate(Shape shape, FreeState state) {
    double left =
        (state.cpuMillis() - shape.cpuMillis()) / CPU_MILLIS
            + (state.totalUnits() - shape.units()) / UNITS;
    int device = shape.isFraction() ? state.tightest(shape) : -1;
    return new Rating.Fixed(left, 0, device);
  }
}
