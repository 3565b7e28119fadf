package io.headgate.scheduler.core.ledger;

import io.headgate.scheduler.core.catalog.PolicyId;
import java.time.Instant;
import java.util.Optional;

/// The part of its reservation that a policy lacks while its jobs wait, from a time on, until its
/// next step.
///
/// @param reservation of the policy, in 1/126000 GPU
/// @param missing the smaller of the unused part of the reservation and the need of the waiting
///   jobs; 0: nothing
/// @param reason code of the reason why its first job waits; empty while nothing is missing
public record ShortageStep(
    PolicyId policy, Instant at, long reservation, long missing, Optional<String> reason) {}
