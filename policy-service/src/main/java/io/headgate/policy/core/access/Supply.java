package io.headgate.policy.core.access;

import io.headgate.policy.core.name.PoolId;
import io.headgate.policy.core.name.ProfileId;
import io.headgate.type.GpuQuantity;
import java.util.Map;
import java.util.Set;

/// What rights must know of a tenant's resource configuration.
///
/// @param needs GPUs of one whole job of each profile: GPUs of a worker × workers
/// @param total GPUs that its pools can offer, elastic ones fully grown
public record Supply(Map<ProfileId, GpuQuantity> needs, Set<PoolId> pools, GpuQuantity total) {
  public Supply {
    needs = Map.copyOf(needs);
    pools = Set.copyOf(pools);
  }
}
