package io.headgate.scheduler.core.catalog;

import io.headgate.type.GpuQuantity;
import java.util.List;
import java.util.Optional;

/// Hardware of one kind that jobs can run on.
///
/// @param gpuModel only devices of this model belong; absent: every device of its nodes
/// @param capacity ceiling on what is used of it, whatever nodes offer (DESIGN A7)
/// @param order execution priority of profiles, best first; profiles not named come last, by name
/// @param dedicatedTo nobody else may use it
public record Pool(
    PoolId id,
    Optional<String> gpuModel,
    Optional<GpuQuantity> capacity,
    List<ProfileId> order,
    Optional<PolicyId> dedicatedTo) {
  public Pool {
    order = List.copyOf(order);
  }
}
