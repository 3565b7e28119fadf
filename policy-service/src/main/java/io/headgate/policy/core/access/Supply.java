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
public record Supply(Map<ProfileId, GpuQuantity> needs, Set<PoolId> pools, GpuQuantity total) {
  public Supply {
    needs = Map.copyOf(needs);
    pools = Set.copyOf(pools);
  }
}
