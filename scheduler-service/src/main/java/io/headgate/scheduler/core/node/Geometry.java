package io.headgate.scheduler.core.node;

/// How a device can be divided.
public sealed interface Geometry {
  /// Any fraction, anywhere, by limits on memory and compute.
  record Continuous() implements Geometry {}
}
