package io.headgate.deploy.simulate.placement;

import static io.headgate.type.GpuQuantity.UNITS_PER_GPU;

import io.headgate.scheduler.core.placement.FreeState;
import io.headgate.scheduler.core.placement.PlacementPolicy;
import io.headgate.scheduler.core.placement.Rater;
import io.headgate.scheduler.core.placement.Rating;
import io.headgate.scheduler.core.placement.Shape;
import io.headgate.scheduler.core.placement.policy.Mix;

/// Places a job where the least of the node is left. CPU and GPU are weighed against each other as
/// if a node had 128 CPUs and 8 GPUs; in the node, the device with the least left is taken. Many
/// clusters place so, which makes it a measure for better policies.
///
/// Nodes with 2 GPUs and 64 CPUs, and with 4 GPUs and 16 CPUs free, a job of 1 GPU and 8 CPUs: 1/8
/// + 56/128 are left of the first, 3/8 + 8/128 of the second, which is less: it goes there.
public record BestFit() implements PlacementPolicy, Rater {
  private static final double CPU_MILLIS = 128_000;
  private static final double UNITS = 8.0 * UNITS_PER_GPU;

  @Override
  public Rater rater(Mix mix) {
    return this;
  }

  @Override
  public Rating rate(Shape shape, FreeState state) {
    double left =
        (state.cpuMillis() - shape.cpuMillis()) / CPU_MILLIS
            + (state.totalUnits() - shape.units()) / UNITS;
    int device = shape.isFraction() ? state.tightest(shape) : -1;
    return new Rating.Fixed(left, 0, device);
  }
}
