package io.headgate.pool.core.node;

/// How strongly a part of a device is separated from the others, weakest first.
public enum Isolation {
  /// In a profile: no minimum. Of a device: none.
  NONE,
  REACTIVE,
  DRIVER_PROCESS,
  DRIVER_CONTAINER,
  HARDWARE
}
