package io.headgate.scheduler.core.placement;

import io.headgate.scheduler.core.placement.policy.TaskMix;

/// The placement policies that a scheduler may run with.
public enum StandardPlacement implements PlacementPolicy {
  /// Leaves as little as possible of the device, then of the node's GPUs, then of its CPUs.
  TIGHTEST_FIT {
    @Override
    public Rater rater(TaskMix mix) {
      return new TightestFit();
    }
  },

  /// Strands the least capacity for the expected mix of tasks (fragmentation gradient descent).
  LEAST_STRANDED {
    @Override
    public Rater rater(TaskMix mix) {
      return new LeastStranded(mix);
    }
  },

  /// Keeps the most of the node's remaining value, and protects scarce models (roll-out fill).
  ROLL_OUT_FILL {
    @Override
    public Rater rater(TaskMix mix) {
      return new RollOutFill(mix);
    }
  }
}
