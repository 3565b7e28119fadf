package io.headgate.policy.core.access;

import io.headgate.policy.core.name.PoolId;
import io.headgate.policy.core.name.ProfileId;
import io.headgate.type.GpuQuantity;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/// The facts of a tenant's resource configuration that decisions on rights need.
///
/// @param needs GPUs of one whole job by profile: GPUs of a worker × workers
/// @param total GPUs that its pools can offer, elastic ones at their maximum
/// @param offers GPUs of each pool, likewise
/// @param currencies of the prices of its pools; empty: also pools of another owner count, whose
///   prices are not known
public record Supply(
    Map<ProfileId, GpuQuantity> needs,
    Set<PoolId> pools,
    GpuQuantity total,
    Map<PoolId, GpuQuantity> offers,
    Optional<Set<String>> currencies) {
  public Supply {
    needs = Map.copyOf(needs);
    pools = Set.copyOf(pools);
    offers = Map.copyOf(offers);
    currencies = currencies.map(TreeSet::new);
  }

  /// Supply of which only the whole is known.
  public Supply(Map<ProfileId, GpuQuantity> needs, Set<PoolId> pools, GpuQuantity total) {
    this(needs, pools, total, Map.of(), Optional.empty());
  }
}
