package io.headgate.scheduler.core.job;

import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.type.GpuQuantity;
import java.time.Duration;
import java.util.Optional;

/// Why a preemption was right: what both policies had just before it, without what stops already.
///
/// Example: R&D uses 9 of its reservation 5, DevOps 0 of 5, and its job needs 3.
///
/// @param victim policy of the job that has to go; it is above its reservation (P2)
/// @param winner policy of the job that takes the place; with `need` it ends at or below its
///   reservation (P1)
/// @param need of the job that takes the place
/// @param tenants between two tenants that share a pool, what both had of it: then the victim's
///   tenant is above its reservation, whatever its policy is (A3)
/// @param lost under P11, the time that the job's GPUs lose by its move, as time of one GPU
/// @param weighing what was weighed when this victim was chosen; empty for a move
public record PreemptionGrounds(
    Share victim,
    Share winner,
    GpuQuantity need,
    Optional<Tenants> tenants,
    Optional<Duration> lost,
    Optional<Weighing> weighing) {
  /// Within one tenant.
  public PreemptionGrounds(Share victim, Share winner, GpuQuantity need) {
    this(victim, winner, need, Optional.empty(), Optional.empty(), Optional.empty());
  }

  /// The grounds of a move.
  ///
  /// @param time that its GPUs lose
  public PreemptionGrounds losing(Duration time) {
    return new PreemptionGrounds(victim, winner, need, tenants, Optional.of(time), weighing);
  }

  /// The grounds with the weighing of the victim.
  public PreemptionGrounds weighed(Weighing choice) {
    return new PreemptionGrounds(victim, winner, need, tenants, lost, Optional.of(choice));
  }

  /// A policy's usage against its reservation.
  public record Share(PolicyId policy, GpuQuantity usage, GpuQuantity reservation) {}

  /// A tenant's usage against its reservation in the pool.
  public record TenantShare(TenantId tenant, GpuQuantity usage, GpuQuantity reservation) {}

  /// Both tenants.
  public record Tenants(TenantShare victim, TenantShare winner) {}
}
