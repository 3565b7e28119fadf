package io.headgate.scheduler.core.explain;

/// A capability or capacity that a node can lack.
public enum Dimension {
  GPU,
  /// One device with a large enough part idle, or enough whole devices idle.
  DEVICE,
  /// A free place for a slice of that size, where a large enough part of a sliced device is idle.
  GEOMETRY,
  /// Devices of a model that the profile admits.
  GPU_MODEL,
  GPU_MEMORY,
  CPU,
  MEMORY,
  ISOLATION,
  /// Whether it runs jobs with an image: 1, or 0.
  IMAGES
}
