package io.headgate.scheduler.core.placement;

import io.headgate.scheduler.core.placement.policy.Mix;
import io.headgate.scheduler.core.placement.policy.Outlook;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/// What tasks a pool has to expect, and what makes a place in it a good one.
final class Expectation {
  private final PlacementPolicy policy;
  private Mix mix = Mix.EMPTY;
  private Rater rater;
  private @Nullable Outlook outlook;

  Expectation(PlacementPolicy policy) {
    this.policy = policy;
    this.rater = policy.rater(mix);
  }

  Rater rater() {
    return rater;
  }

  /// Takes another mix. Says whether all ratings are void.
  boolean change(Mix expected, Collection<StateGroup> groups) {
    if (expected.equals(mix)) {
      return false;
    }
    mix = expected;
    outlook = null;
    if (!rater.heedsMix()) {
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
    if (outlook == null) {
      outlook = LeastStranded.outlook(mix);
    }
    long sum = 0;
    for (StateGroup group : groups) {
      // Rounded each for itself, so that their order makes no difference.
      sum += group.nodes().size() * strandedUnits(group.state(), outlook);
    }
    return sum;
  }

  private static long strandedUnits(FreeState state, Outlook outlook) {
    return Math.round(outlook.stranded(state.space(outlook))) + state.unusableUnits();
  }
}
