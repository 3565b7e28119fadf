package io.headgate.pool.core.configuration;

import java.time.Duration;
import java.util.Optional;

/// The options of a pool by which jobs share it.
///
/// @param promoteAfter a job that has waited longer counts as of the first execution priority and
///   rank (O7); absent: never
/// @param consolidate whether movable jobs may be moved to make room (P11)
/// @param halfLife time after which past use counts half in the fair share (O4); absent: past use
///   does not count
public record PoolRules(
    Optional<Duration> promoteAfter, boolean consolidate, Optional<Duration> halfLife) {
  public static final PoolRules DEFAULT = new PoolRules(Optional.empty(), false, Optional.empty());
}
