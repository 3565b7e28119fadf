package io.headgate.deploy.simulate.placement;

import io.headgate.scheduler.core.placement.FreeState;
import io.headgate.scheduler.core.placement.PlacementPolicy;
import io.headgate.scheduler.core.placement.Rater;
import io.headgate.scheduler.core.placement.Rating;
import io.headgate.scheduler.core.placement.Shape;
import io.headgate.scheduler.core.placement.policy.BitMixer;
import io.headgate.scheduler.core.placement.policy.TaskMix;

/// Places a job on a random node where it fits: the baseline that every other policy has to beat.
/// Equal states of the cluster give equal places.
///
/// @param seed other seeds give other places
public record RandomFit(long seed) implements PlacementPolicy, Rater {
  @Override
  public Rater rater(TaskMix mix) {
    return this;
  }

  @Override
  public boolean spreadsTies() {
    return true;
  }

  @Override
  public int choose(int nodes, long occupancy) {
    return draw(occupancy, nodes);
  }

  @Override
  public Rating rate(Shape shape, FreeState state) {
    int[] devices = state.devicesFor(shape);
    int device = shape.isFraction() ? devices[draw(state.hashCode(), devices.length)] : -1;
    return new Rating.Fixed(0, 0, device);
  }

  /// A pseudo-random number below the bound.
  private int draw(long number, int bound) {
    return (int) Long.remainderUnsigned(BitMixer.mix(seed, number), bound);
  }
}
