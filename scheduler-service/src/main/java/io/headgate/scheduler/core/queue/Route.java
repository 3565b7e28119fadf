package io.headgate.scheduler.core.queue;

import io.headgate.scheduler.core.placement.PoolState;
import io.headgate.scheduler.core.placement.Ranking;

/// One pool that a queue's jobs may use.
///
/// @param position the profile's execution priority in the pool, 0 first (DESIGN O2)
/// @param ranking the pool's nodes as the profile's shape wants them
public record Route(PoolState pool, int position, Ranking ranking) {
  /// Whether a job fits there now, the pool's ceiling included.
  public boolean fits() {
    return ranking.fits();
  }
}
