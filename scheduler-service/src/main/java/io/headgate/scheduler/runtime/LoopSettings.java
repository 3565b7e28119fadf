package io.headgate.scheduler.runtime;

import io.headgate.scheduler.core.catalog.PlacementPolicy;
import java.time.Duration;

/// Times and bounds of a leader.
///
/// @param placement how places are chosen
/// @param lease how long it leads without renewing
/// @param heartbeat how often agents show that they are there
/// @param suspectAfter silence after which a node gets no new work
/// @param reconcileWithin how long a new leader waits for agents before it starts anything
/// @param stopMargin added to a policy's `stopAfter` before slices are used again
/// @param maxCommands that wait for the loop, submissions apart
/// @param maxQueuedJobs submitted jobs that wait for the loop
/// @param batchJobs submitted jobs of one transaction
/// @param maxWaitingPerQueue waiting jobs of one queue
public record LoopSettings(
    PlacementPolicy placement,
    Duration lease,
    Duration heartbeat,
    Duration suspectAfter,
    Duration reconcileWithin,
    Duration stopMargin,
    int maxCommands,
    int maxQueuedJobs,
    int batchJobs,
    int maxWaitingPerQueue) {

  /// How often a lease is renewed: a renewal may fail twice before it runs out.
  public Duration renewal() {
    return lease.dividedBy(3);
  }
}
