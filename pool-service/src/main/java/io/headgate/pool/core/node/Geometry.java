package io.headgate.pool.core.node;

/// The ways to divide a device.
public enum Geometry {
  CONTINUOUS,
  MIG,
  AMD_PARTITION
}
