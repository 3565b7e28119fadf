package io.headgate.scheduler.core.placement;

/// How good it is to place a worker of a shape on a node in some state.
public interface Rating {
  /// The cost at the prices of the rater's present edition; lower is better.
  double cost();

  /// Decides between equal costs; lower is better.
  long tie();

  /// The device of the state of which a part is taken; -1 when none is.
  int device();

  /// A rating that no price changes.
  record Fixed(double cost, long tie, int device) implements Rating {}
}
