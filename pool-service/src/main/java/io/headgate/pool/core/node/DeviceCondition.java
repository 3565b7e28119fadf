package io.headgate.pool.core.node;

/// How a device is, as its machine says.
///
/// @param cause why, for people; empty when it is healthy
public record DeviceCondition(Health health, String cause, Remedy remedy) {
  /// How well a device works.
  public enum Health {
    HEALTHY,
    /// Something is to be seen to; it is used as before.
    DEGRADED,
    /// Nothing new is placed on it.
    UNHEALTHY
  }

  /// What puts a device right.
  public enum Remedy {
    NONE,
    INSPECT,
    RESET,
    RESTART_MACHINE,
    REPLACE
  }
}
