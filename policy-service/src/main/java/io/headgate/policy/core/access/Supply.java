package io.headgate.policy.core.access;

import io.headgate.policy.core.name.PoolId;
import io.headgate.policy.core.name.ProfileId;
import io.headgate.type.GpuQuantity;
import java.util.Map;
import java.util.Set;

/// The facts of a tenant's resource configuration that decisions on rights need.
///
/// @param needs GPUs of one whole job by profile: GPUs of a worker × workers
/// @param total GPUs that its pools can offer, elastic ones at their maximum
/// @param offers GPUs of each pool, likewise
public record Supply(
    Map<ProfileId, GpuQuantity> needs,
    Set<PoolId> pools,
    GpuQuantity total,
    Map<PoolId, GpuQuantity> offers) {
  public Supply {
    needs = Map.copyOf(needs);
    pools = Set.copyOf(pools);
    offers = Map.copyOf(offers);
  }

  /// Supply of which only the whole is known.
  public Supply(Map<ProfileId, GpuQuantity> needs, Set<PoolId> pools, GpuQuantity total) {
    this(needs, pools, total, Map.of());
  }
}
