package io.headgate.scheduler.core.rights;

import io.headgate.scheduler.core.catalog.UserId;

/// What a job or its hold adds to the usage of its policy and tenant.
///
/// @param units GPUs of all workers, in units of 1/126000 GPU
public record Claim(UserId user, long units, boolean preemptible) {}
