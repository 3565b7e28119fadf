package io.headgate.scheduler.core.placement;

import io.headgate.scheduler.core.placement.policy.BitMixer;
import java.util.ArrayList;
import java.util.List;

/// Places a job anywhere where it fits: what every other policy has to beat.
record Chance(long seed) implements Rater {
  @Override
  public Rating rate(Shape shape, FreeState state) {
    int[] devices = state.devicesFor(shape);
    int device = shape.isFraction() ? devices[draw(state.hashCode(), devices.length)] : -1;
    return new Rating.Fixed(0, 0, device);
  }

  /// One of the nodes on which the shape fits; there must be one.
  ///
  /// @param attempts in the pool
  /// @param units that they have; with their number they make each draw another one
  NodeState node(Iterable<NodeState> nodes, Shape shape, int attempts, long units) {
    List<NodeState> fitting = new ArrayList<>();
    for (NodeState node : nodes) {
      if (node.takesWork() && node.freeNow().workers(shape) > 0) {
        fitting.add(node);
      }
    }
    return fitting.get(draw(31L * attempts + units, fitting.size()));
  }

  /// A number below the bound.
  private int draw(long number, int bound) {
    return (int) Long.remainderUnsigned(BitMixer.mix(seed, number), bound);
  }
}
