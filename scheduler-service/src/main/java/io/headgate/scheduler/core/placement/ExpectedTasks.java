package io.headgate.scheduler.core.placement;

import io.headgate.scheduler.core.placement.policy.PackingModel;
import io.headgate.scheduler.core.placement.policy.TaskMix;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/// The tasks that a pool expects, and the rater of its places.
final class ExpectedTasks {
  private final PlacementPolicy policy;
  private TaskMix mix = TaskMix.EMPTY;
  private Rater rater;
  private @Nullable PackingModel packing;

  ExpectedTasks(PlacementPolicy policy) {
    this.policy = policy;
    this.rater = policy.rater(mix);
  }

  Rater rater() {
    return rater;
  }

  /// Takes another mix. Says whether all ratings are void.
  boolean change(TaskMix expected, Collection<StateGroup> groups) {
    if (expected.equals(mix)) {
      return false;
    }
    mix = expected;
    packing = null;
    if (!rater.usesMix()) {
      return false;
    }
    rater = policy.rater(mix);
    for (StateGroup group : groups) {
      for (int i = 0; i < group.nodes().size(); i++) {
        rater.moved(null, group.state());
      }
    }
    return true;
  }

  /// Free units that are of no use to a task of the mix, on average.
  long strandedUnits(Collection<StateGroup> groups) {
    if (packing == null) {
      packing = LeastStranded.packing(mix);
    }
    long sum = 0;
    for (StateGroup group : groups) {
      // Rounded each for itself, so that their order makes no difference.
      sum += group.nodes().size() * strandedUnits(group.state(), packing);
    }
    return sum;
  }

  private static long strandedUnits(FreeState state, PackingModel packing) {
    return Math.round(packing.stranded(state.space(packing))) + state.unusableUnits();
  }
}
