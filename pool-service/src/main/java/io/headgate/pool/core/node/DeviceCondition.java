package io.headgate.pool.core.node;

/// The condition of a device as its agent reports it.
///
/// @param cause in words; empty when it is healthy
public record DeviceCondition(Health health, String cause, Remedy remedy) {
  /// The health of a device.
  public enum Health {
    HEALTHY,
    /// The device needs attention; it stays in use.
    DEGRADED,
    /// The scheduler places nothing new on it.
    UNHEALTHY
  }

  /// The remedy for a faulty device.
  public enum Remedy {
    NONE,
    INSPECT,
    RESET,
    RESTART_MACHINE,
    REPLACE
  }
}
