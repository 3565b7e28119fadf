package io.headgate.agent.runtime.telemetry;

/// Actions that hold jobs to their slices, as counted by a metric.
public enum Enforcement {
  /// The watch found that an attempt has too much memory of a device; again for as long as it has.
  EXCESS_FOUND,
  /// It was told to end for that.
  STOPPED,
  /// It was told already, and went on.
  KILLED,
  /// It ended because it had too much of something.
  LIMIT_EXCEEDED,
  /// A slice could not be made, and the attempt did not start.
  SLICE_REFUSED,
  /// Processes that its supervisor did not see the end of.
  REMAINS_KILLED
}
