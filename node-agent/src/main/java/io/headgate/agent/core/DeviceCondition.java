package io.headgate.agent.core;

/// How a device is.
///
/// @param endsJobs whether jobs on it cannot continue; only when it is unhealthy
/// @param cause why, in clauses, the worst first; empty when it is healthy
public record DeviceCondition(Health health, boolean endsJobs, String cause, Remedy remedy) {
  /// How well a device works; worse is greater.
  public enum Health {
    HEALTHY,
    /// The operator should look at it; it is used as before.
    DEGRADED,
    /// Nothing new is placed on it.
    UNHEALTHY
  }

  /// The operator's remedy, from least to most.
  public enum Remedy {
    NONE,
    /// Inspect its surroundings: cooling, power, links, processes that hold it.
    INSPECT,
    /// Reset it when no program runs on it.
    RESET,
    RESTART_MACHINE,
    REPLACE
  }

  public static final DeviceCondition HEALTHY =
      new DeviceCondition(Health.HEALTHY, false, "", Remedy.NONE);

  static DeviceCondition degraded(String cause, Remedy remedy) {
    return new DeviceCondition(Health.DEGRADED, false, cause, remedy);
  }

  /// Running jobs continue.
  static DeviceCondition unhealthy(String cause, Remedy remedy) {
    return new DeviceCondition(Health.UNHEALTHY, false, cause, remedy);
  }

  /// Running jobs cannot continue.
  static DeviceCondition failed(String cause, Remedy remedy) {
    return new DeviceCondition(Health.UNHEALTHY, true, cause, remedy);
  }

  public boolean isHealthy() {
    return health == Health.HEALTHY;
  }

  /// Whether anything new may be placed on it.
  public boolean takesWork() {
    return health != Health.UNHEALTHY;
  }
}
