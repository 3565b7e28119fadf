package io.headgate.pool.core.node;

/// Isolation of a slice from its neighbours on the device, weakest first.
public enum Isolation {
  /// No minimum in a profile, and no isolation on a device.
  NONE,
  REACTIVE,
  DRIVER_PROCESS,
  DRIVER_CONTAINER,
  HARDWARE
}
