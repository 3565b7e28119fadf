package io.headgate.agent.driver.nvml;

/// Told at each moment between two native calls at which a crash leaves a slice half made or half
/// removed. Tests crash there.
@FunctionalInterface
public interface NvmlSteps {
  NvmlSteps NONE = _ -> {};

  /// The moments.
  enum Step {
    MIG_TURNED_ON,
    GPU_INSTANCE_MADE,
    COMPUTE_INSTANCE_MADE,
    COMPUTE_INSTANCE_DESTROYED,
    GPU_INSTANCE_DESTROYED,
    LIMIT_SET,
    LIMIT_CLEARED,
    DAEMON_STARTED,
    SERVER_MADE,
    NAMESPACE_MADE,
    DAEMON_LIMITED,
    DAEMON_STOPPED
  }

  void reached(Step step);
}
