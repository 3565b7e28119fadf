package io.headgate.agent.core;

/// How strongly a slice is separated from its neighbours on the same device, weakest first.
public enum IsolationLevel {
  /// Not at all, for example on a simulated device.
  NONE,
  /// Watched, and stopped after the fact.
  REACTIVE,
  /// The driver limits each process.
  DRIVER_PROCESS,
  /// The driver limits the whole cgroup or container.
  DRIVER_CONTAINER,
  /// The device itself is divided, or given whole.
  HARDWARE;

  public boolean satisfies(IsolationLevel minimum) {
    return compareTo(minimum) >= 0;
  }
}
