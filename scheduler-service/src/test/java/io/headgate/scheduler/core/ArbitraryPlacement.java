package io.headgate.scheduler.core;

import io.headgate.scheduler.core.placement.FreeState;
import io.headgate.scheduler.core.placement.PlacementPolicy;
import io.headgate.scheduler.core.placement.Rater;
import io.headgate.scheduler.core.placement.Rating;
import io.headgate.scheduler.core.placement.Shape;
import io.headgate.scheduler.core.placement.policy.BitMixer;
import io.headgate.scheduler.core.placement.policy.TaskMix;

/// A placement policy from outside the core without any sense: it draws costs, devices and the
/// choice among equals from the state.
///
/// Invariants of all policies hold for this one, too.
public record ArbitraryPlacement(long seed) implements PlacementPolicy, Rater {
  /// Few, so that many nodes have equal costs.
  private static final int COSTS = 3;

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
    return new Rating.Fixed(draw(~state.hashCode(), COSTS), 0, device);
  }

  private int draw(long number, int bound) {
    return (int) Long.remainderUnsigned(BitMixer.mix(seed, number), bound);
  }
}
