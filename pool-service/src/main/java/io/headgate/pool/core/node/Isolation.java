package io.headgate.pool.core.node;

/// Isolation of a slice from its neighbours on the device, weakest first.
public enum Isolation {
  /// In a profile: no minimum. Of a device: none.
  NONE,
  REACTIVE,
  DRIVER_PROCESS,
  DRIVER_CONTAINER,
  HARDWARE
}
