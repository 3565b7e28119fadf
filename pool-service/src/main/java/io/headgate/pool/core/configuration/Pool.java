package io.headgate.pool.core.configuration;

import io.headgate.pool.core.name.PoolId;
import io.headgate.pool.core.name.ProfileId;
import io.headgate.type.GpuQuantity;
import java.util.List;
import java.util.Optional;

/// Hardware of one kind that jobs can run on.
///
/// @param gpuModel only devices of this model belong; absent: any
/// @param capacity ceiling on what is used; absent: what its nodes offer
/// @param migAuto its nodes turn MIG on where nobody uses the GPU
/// @param order execution priority of profiles, best first; those not named come last, by id
/// @param dedicatedTo nobody else may use it
/// @param elasticity absent: nodes join by themselves
public record Pool(
    PoolId id,
    Optional<String> gpuModel,
    Optional<GpuQuantity> capacity,
    boolean migAuto,
    List<ProfileId> order,
    Optional<Dedication> dedicatedTo,
    Optional<Price> price,
    Optional<Elasticity> elasticity,
    String description) {
  public Pool {
    order = List.copyOf(order);
  }

  /// The same pool without a profile that is no more.
  Pool without(ProfileId profile) {
    return new Pool(
        id,
        gpuModel,
        capacity,
        migAuto,
        order.stream().filter(named -> !named.equals(profile)).toList(),
        dedicatedTo,
        price,
        elasticity,
        description);
  }
}
