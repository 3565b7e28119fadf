package io.headgate.scheduler.simulation;

import io.headgate.scheduler.core.usage.TenantUsage;
import io.headgate.type.GpuQuantity;
import java.util.List;

/// The state of a simulation at its end.
///
/// @param untilMs its end, in milliseconds
/// @param finished jobs that did their work
/// @param running jobs with an attempt
/// @param waiting jobs that wait, including jobs that can never start
/// @param cancelled jobs that ended otherwise: cancelled, out of time, lost, without queue
/// @param tenants that share pools, by pool, then tenant
/// @param isAtRest whether further passes without inputs decide nothing
public record Summary(
    long untilMs,
    int finished,
    int running,
    int waiting,
    int cancelled,
    int preemptions,
    GpuSeconds capacity,
    GpuSeconds used,
    GpuSeconds lost,
    List<PolicyLine> policies,
    List<PoolLine> pools,
    List<TenantUsage> tenants,
    boolean isAtRest) {
  public Summary {
    policies = List.copyOf(policies);
    pools = List.copyOf(pools);
    tenants = List.copyOf(tenants);
  }

  /// One policy at the end.
  ///
  /// @param waitP50Ms half of its starts waited no longer
  /// @param waitP99Ms 99 in 100 of its starts waited no longer
  public record PolicyLine(
      String name,
      GpuQuantity usage,
      GpuQuantity reservation,
      GpuQuantity limit,
      long waitP50Ms,
      long waitP99Ms) {}

  /// One pool at the end.
  public record PoolLine(String name, GpuQuantity used, GpuQuantity capacity) {}
}
