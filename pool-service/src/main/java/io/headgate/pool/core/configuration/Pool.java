package io.headgate.pool.core.configuration;

import io.headgate.pool.core.name.PoolId;
import io.headgate.pool.core.name.ProfileId;
import io.headgate.pool.core.name.StorageId;
import io.headgate.type.GpuQuantity;
import java.util.List;
import java.util.Optional;

/// Hardware of one kind that jobs can run on.
///
/// @param gpuModel the only model that belongs to it; absent: any
/// @param capacity upper bound of its usage; absent: the capacity of its nodes
/// @param migAuto whether its nodes turn MIG on for idle GPUs
/// @param order execution priority of profiles, best first; the others share the last place
/// @param dedicatedTo its exclusive owner
/// @param storage that holds the checkpoints of its jobs; absent: each node's own directory
/// @param elasticity absent: nodes join by themselves
/// @param instance the most that a machine of a static pool has; nothing is planned with it;
///   absent: the pool is elastic, or does not say
public record Pool(
    PoolId id,
    Optional<String> gpuModel,
    Optional<GpuQuantity> capacity,
    boolean migAuto,
    List<ProfileId> order,
    Optional<Dedication> dedicatedTo,
    Optional<Price> price,
    Optional<StorageId> storage,
    Optional<Elasticity> elasticity,
    Optional<Instance> instance,
    PoolRules rules,
    String description) {
  public Pool {
    order = List.copyOf(order);
  }

  /// The pool without a removed profile.
  Pool without(ProfileId profile) {
    return new Pool(
        id,
        gpuModel,
        capacity,
        migAuto,
        order.stream().filter(named -> !named.equals(profile)).toList(),
        dedicatedTo,
        price,
        storage,
        elasticity,
        instance,
        rules,
        description);
  }
}
