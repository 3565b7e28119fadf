package io.headgate.policy.core.access;

import io.headgate.policy.core.name.UserId;
import io.headgate.type.GpuQuantity;
import java.util.List;
import java.util.Optional;

/// The amounts that a policy may use.
///
/// @param reservation GPUs whose use has priority (P1)
/// @param limit GPUs that it never exceeds, even when the cluster idles (A2)
/// @param perUserLimit GPUs that one of its users may use (A4)
/// @param weight share among equal ranks (O4)
/// @param exceedLimit users who may exceed the limit on idle capacity (A2), by id
public record Rights(
    GpuQuantity reservation,
    GpuQuantity limit,
    Optional<GpuQuantity> perUserLimit,
    int weight,
    List<UserId> exceedLimit) {
  /// The scheduler multiplies usages by weights; a larger weight could overflow.
  public static final int MAX_WEIGHT = 10_000;

  public Rights {
    if (reservation.compareTo(limit) > 0) {
      throw new IllegalArgumentException(reservation + " is above the limit " + limit);
    }
    if (weight < 1 || weight > MAX_WEIGHT) {
      throw new IllegalArgumentException("weight " + weight);
    }
    exceedLimit = exceedLimit.stream().sorted().toList();
  }
}
