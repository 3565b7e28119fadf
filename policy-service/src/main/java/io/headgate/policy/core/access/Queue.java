package io.headgate.policy.core.access;

import io.headgate.policy.core.name.PolicyId;
import io.headgate.policy.core.name.ProfileId;
import io.headgate.policy.core.name.QueueId;

/// Policy × profile, named. While it exists, the policy's group may submit jobs of the profile.
///
/// @param rank among the queues of all profiles, 1 is first (O3)
/// @param overReservation whether its jobs may start above the reservation (A5)
public record Queue(
    QueueId id,
    PolicyId policy,
    ProfileId profile,
    int rank,
    boolean overReservation,
    boolean paused) {
  public static final int MAX_RANK = 1_000_000;

  public Queue {
    if (rank < 1 || rank > MAX_RANK) {
      throw new IllegalArgumentException("rank " + rank);
    }
  }
}
