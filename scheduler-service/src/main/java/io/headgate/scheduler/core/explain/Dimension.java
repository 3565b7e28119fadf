package io.headgate.scheduler.core.explain;

/// What a node can lack.
public enum Dimension {
  GPU,
  /// One device with a large enough part idle, or enough whole devices idle.
  DEVICE,
  GPU_MEMORY,
  CPU,
  MEMORY,
  ISOLATION
}
