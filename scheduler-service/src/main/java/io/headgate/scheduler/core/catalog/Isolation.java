package io.headgate.scheduler.core.catalog;

/// How strongly a slice is separated from its neighbours on the same device, weakest first.
public enum Isolation {
  /// Nothing separates them.
  NONE,
  /// Watched, and stopped after the fact.
  REACTIVE,
  /// The driver limits each process.
  DRIVER_PROCESS,
  /// The driver limits the whole container or cgroup.
  DRIVER_CONTAINER,
  /// The device itself is divided, or given whole.
  HARDWARE
}
