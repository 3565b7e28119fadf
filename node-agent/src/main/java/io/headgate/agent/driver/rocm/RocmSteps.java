package io.headgate.agent.driver.rocm;

/// Called at each moment between two system calls at which a crash leaves a slice half made or half
/// removed. Tests kill the process there.
@FunctionalInterface
public interface RocmSteps {
  RocmSteps NONE = _ -> {};

  /// The moments.
  enum Step {
    /// The GPU has the mode, and the library does not know its partitions yet.
    MODE_SET,
    /// The cgroup has its limit, and the agent does not know its slice yet.
    LIMIT_SET,
    /// The cgroup has no limit any more, and the agent still has its slice.
    LIMIT_CLEARED
  }

  void reached(Step step);
}
