package io.headgate.scheduler.core.catalog;

/// Policy × profile, named. All its jobs have the same size and rights.
///
/// @param rank among the queues of all profiles, 1 first (O3)
/// @param overReservation whether its jobs may start above the policy's reservation (A5)
/// @param open whether its jobs start; a closed queue keeps them waiting (A1)
public record Queue(
    QueueId id,
    PolicyId policy,
    ProfileId profile,
    int rank,
    boolean overReservation,
    boolean open) {}
