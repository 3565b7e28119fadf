package io.headgate.scheduler.core.placement;

import static io.headgate.type.GpuQuantity.UNITS_PER_GPU;

import io.headgate.scheduler.core.placement.policy.PackingModel;
import io.headgate.scheduler.core.placement.policy.Space;
import io.headgate.scheduler.core.placement.policy.TaskMix;

/// Places a job where the capacity that is of no use to a task of the mix grows least
/// (fragmentation gradient descent). Growth is rated in whole points from 0 to 100: it falls by a
/// GPU: 73; it stays: 50; it grows by a GPU: 26. Among places with equal points the first node is
/// taken. Many places must be equal, and this order must have nothing to do with the nodes'
/// properties.
final class LeastStranded implements Rater {
  /// The rarest classes, of 5 % of all tasks together, are left out, as in the published form.
  private static final double FREQUENT = 0.95;

  private final PackingModel packing;

  LeastStranded(TaskMix mix) {
    packing = packing(mix);
  }

  static PackingModel packing(TaskMix mix) {
    return new PackingModel(mix.mostFrequent(FREQUENT));
  }

  @Override
  public boolean usesMix() {
    return true;
  }

  @Override
  public boolean spreadsTies() {
    return true;
  }

  @Override
  public Rating rate(Shape shape, FreeState state) {
    Space before = state.space(packing);
    int[] devices = state.devicesFor(shape);
    int device = -1;
    double least = Double.POSITIVE_INFINITY;
    if (shape.isFraction()) {
      for (int candidate : devices) {
        double after = packing.stranded(state.spaceWithout(packing, before, shape, candidate));
        if (after < least) {
          least = after;
          device = candidate;
        }
      }
    } else {
      least = packing.stranded(state.spaceWithoutWhole(packing, before, shape, devices));
    }
    double growth = least - packing.stranded(before);
    double points = Math.floor(100 / (1 + Math.exp(growth / UNITS_PER_GPU)));
    return new Rating.Fixed(-points, 0, device);
  }
}
