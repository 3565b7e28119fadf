package io.headgate.scheduler.core.catalog;

/// How strongly a slice is separated from its neighbours on the same device, weakest first.
public enum Isolation {
  /// Nothing separates them.
  NONE(0),
  /// Watched, and stopped after the fact.
  REACTIVE(1),
  /// The driver limits each process.
  DRIVER_PROCESS(2),
  /// The driver limits the whole container or cgroup.
  DRIVER_CONTAINER(3),
  /// The device itself is divided, or given whole.
  HARDWARE(4);

  private final int level;

  Isolation(int level) {
    this.level = level;
  }

  /// Higher is stronger.
  public int level() {
    return level;
  }
}
