package io.headgate.scheduler.runtime.record;

import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

/// Who leads, as the row in the database says.
///
/// @param incarnation of the installation's state; new at every restore from a backup
/// @param epoch rises with every take-over; 0: nobody ever led
/// @param leader name of the leading replica; absent: the last one released it
/// @param address where it is reached, `host:port`
public record Leadership(
    UUID incarnation,
    long epoch,
    Optional<String> leader,
    Optional<String> address,
    Optional<Instant> since) {}
