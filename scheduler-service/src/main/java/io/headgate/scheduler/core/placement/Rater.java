package io.headgate.scheduler.core.placement;

import io.headgate.scheduler.core.catalog.PlacementPolicy;
import io.headgate.scheduler.core.placement.policy.Mix;
import org.jspecify.annotations.Nullable;

/// Rates the places of one pool, by one policy and one mix of tasks. What it says depends on the
/// states of the pool's nodes alone.
sealed interface Rater permits TightestFit, BestFit, LeastStranded, RollOut, Chance {
  /// The rater of a policy.
  ///
  /// @param policy what makes a place a good one
  /// @param mix what is expected
  static Rater of(PlacementPolicy policy, Mix mix) {
    return switch (policy) {
      case PlacementPolicy.TightestFit() -> new TightestFit();
      case PlacementPolicy.BestFit() -> new BestFit();
      case PlacementPolicy.LeastStranded() -> new LeastStranded(mix);
      case PlacementPolicy.RollOutFill() -> new RollOut(mix);
      case PlacementPolicy.Chance(long seed) -> new Chance(seed);
    };
  }

  /// Whether it matters which tasks are expected.
  default boolean heedsMix() {
    return false;
  }

  /// Whether equal ratings are decided by the order of the nodes, not by what is free on them.
  default boolean mixesEquals() {
    return false;
  }

  /// Only for states in which the shape fits.
  Rating rate(Shape shape, FreeState state);

  /// A node of the pool went from one state to another; null: it took or takes no work.
  default void moved(@Nullable FreeState from, @Nullable FreeState to) {}

  /// Counts how often the costs of ratings have changed.
  default int edition() {
    return 0;
  }
}
