package io.headgate.scheduler.core.rights;

import io.headgate.scheduler.core.catalog.UserId;

/// The part of a policy's and tenant's usage that belongs to one job or its hold.
///
/// @param units GPUs of all workers, in units of 1/126000 GPU
public record Claim(UserId user, long units, boolean preemptible) {}
