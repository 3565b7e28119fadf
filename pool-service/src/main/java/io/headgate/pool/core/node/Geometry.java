package io.headgate.pool.core.node;

/// How a device can be divided.
public enum Geometry {
  CONTINUOUS,
  MIG,
  AMD_PARTITION
}
