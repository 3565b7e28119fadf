package io.headgate.agent.driver.rocm;

/// Told at each moment between two native calls at which a crash leaves a slice half made. Tests
/// crash there.
@FunctionalInterface
public interface RocmSteps {
  RocmSteps NONE = _ -> {};

  /// The moments.
  enum Step {
    /// The GPU has the mode, and the library does not know its partitions yet.
    MODE_SET
  }

  void reached(Step step);
}
