package io.headgate.scheduler.core.catalog;

/// What makes a place the best of those where a job fits.
public sealed interface PlacementPolicy {
  /// Leave as little as possible of the device, then of the node's GPUs, then of its CPUs.
  record TightestFit() implements PlacementPolicy {}

  /// Leave as little as possible of the node, CPUs and GPUs weighed against each other.
  record BestFit() implements PlacementPolicy {}

  /// Let grow least what is of no use to the mix of tasks (FGD).
  record LeastStranded() implements PlacementPolicy {}

  /// Lose least of what the node can still become, and protect what is scarce (RFP).
  record RollOutFill() implements PlacementPolicy {}

  /// Anywhere; for comparison.
  ///
  /// @param seed other seeds, other places
  record Chance(long seed) implements PlacementPolicy {}
}
