package io.headgate.deploy.simulate.placement;

import static io.headgate.type.GpuQuantity.UNITS_PER_GPU;

import io.headgate.scheduler.core.placement.FreeState;
import io.headgate.scheduler.core.placement.PlacementPolicy;
import io.headgate.scheduler.core.placement.Rater;
import io.headgate.scheduler.core.placement.Rating;
import io.headgate.scheduler.core.placement.Shape;
import io.headgate.scheduler.core.placement.policy.TaskMix;

/// Places a job on the node that has the least left afterwards. CPU and GPU are weighed as if a
/// node had 128 CPUs and 8 GPUs. Within the node, the device with the least left is taken. Many
/// clusters place jobs so, which makes this policy a baseline for better ones.
///
/// Example: a job of 1 GPU and 8 CPUs. A node with 2 GPUs and 64 CPUs free keeps 1/8 + 56/128. A
/// node with 4 GPUs and 16 CPUs free keeps 3/8 + 8/128, which is less, and gets the job.
public record BestFit() implements PlacementPolicy, Rater {
  private static final double CPU_MILLIS = 128_000;
  private static final double UNITS = 8.0 * UNITS_PER_GPU;

  @Override
  public Rater rater(TaskMix mix) {
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
