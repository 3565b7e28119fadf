package io.headgate.scheduler.runtime.record;

import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

/// The current leader, from the database's row of leadership.
///
/// @param incarnation of the installation's state; new at every restore from a backup
/// @param epoch rises with every take-over; 0: there was no leader yet
/// @param leader name of the leading replica; absent: the last one released it
/// @param address the leader's address, `host:port`
public record Leadership(
    UUID incarnation,
    long epoch,
    Optional<String> leader,
    Optional<String> address,
    Optional<Instant> since) {
  /// Whether this is an earlier leadership of the same installation's state.
  public boolean isBefore(Leadership other) {
    return incarnation.equals(other.incarnation) && epoch < other.epoch;
  }
}
