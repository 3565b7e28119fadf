package io.headgate.scheduler.core.placement;

import org.jspecify.annotations.Nullable;

/// Rates the places of one pool by one policy. Ratings depend on the states of the pool's nodes
/// alone, so that every replica rates alike.
public interface Rater {
  /// Whether the ratings depend on the expected mix of tasks.
  default boolean usesMix() {
    return false;
  }

  /// Whether nodes of equal cost compete in whatever state they are; otherwise the tie and the
  /// state decide first, and only nodes in one state are equal.
  default boolean spreadsTies() {
    return false;
  }

  /// Chooses among the nodes of the lowest cost; asked only where equals are mixed.
  ///
  /// @param nodes how many nodes there are, at least 1; they are numbered by id from 0
  /// @param occupancy changes with every start and end in the pool
  default int choose(int nodes, long occupancy) {
    return 0;
  }

  /// Rates a state in which the shape fits.
  Rating rate(Shape shape, FreeState state);

  /// A node of the pool went from one state to another; null: it took or takes no work.
  default void moved(@Nullable FreeState from, @Nullable FreeState to) {}

  /// Counts how often the costs of ratings have changed.
  default int edition() {
    return 0;
  }
}
