package io.headgate.agent.runtime.telemetry;

/// How an attempt did not keep to its slices, as counted by a metric.
public enum Violation {
  /// It used more of the memory of a device than it has.
  MEMORY,
  /// Processes of it outlived it.
  FENCE
}
