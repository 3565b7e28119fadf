package io.headgate.scheduler.core.ledger;

import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.PoolId;
import java.util.List;
import java.util.Optional;

/// Amounts of GPU time since this leader began, in units × ms. They only grow.
///
/// @param uses by policy and pool
/// @param pools by pool
public record UsageTotals(List<Use> uses, List<Rest> pools) {
  public UsageTotals {
    uses = List.copyOf(uses);
    pools = List.copyOf(pools);
  }

  /// The use of a policy's attempts in a pool, and its cost.
  ///
  /// @param present the GPU units that they use now
  /// @param lost work that preemption of the policy's jobs there lost
  /// @param cost in the currency of the pool; 0: it has no price
  /// @param currency empty: the pool has no price
  public record Use(
      PolicyId policy,
      PoolId pool,
      Split used,
      Split present,
      long lost,
      double cost,
      Optional<String> currency) {}

  /// The unused GPU time of a pool.
  public record Rest(PoolId pool, long held, long idle, long down) {}
}
