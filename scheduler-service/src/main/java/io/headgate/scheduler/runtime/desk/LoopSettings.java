package io.headgate.scheduler.runtime.desk;

import io.headgate.scheduler.core.placement.PlacementPolicy;
import io.headgate.scheduler.runtime.trace.Sampling;
import java.time.Duration;

/// Times and bounds of a leader.
///
/// @param placement how places are chosen
/// @param lease how long it leads without renewing
/// @param heartbeat how often agents show that they are there
/// @param suspectAfter silence after which a node gets no new work
/// @param reconcileWithin how long a new leader waits for the reports of nodes; afterwards it
///   decides without the nodes that have not reported
/// @param stopMargin added to a policy's `stopAfter` and a twentieth of it before slices are used
///   again
/// @param maxCommands that wait for the loop, submissions apart
/// @param maxQueuedJobs submitted jobs that wait for the loop
/// @param batchJobs submitted jobs of one transaction
/// @param waiting how many jobs may wait
/// @param changeWait how long half of a change of supply and rights waits for the other half
/// @param sampling of jobs' traces
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
    WaitingBounds waiting,
    Duration changeWait,
    Sampling sampling) {

  private static final Duration SELDOM_ENOUGH = Duration.ofMillis(500);

  /// The interval between two renewals of a lease. Two renewals may fail before the lease ends. A
  /// shorter interval reveals a dead leader sooner. A tenth of the lease, if that is
  /// [#SELDOM_ENOUGH] or more; otherwise the smaller of [#SELDOM_ENOUGH] and a third of the lease.
  public Duration renewal() {
    Duration third = lease.dividedBy(3);
    Duration tenth = lease.dividedBy(10);
    if (tenth.compareTo(SELDOM_ENOUGH) >= 0) {
      return tenth;
    }
    return third.compareTo(SELDOM_ENOUGH) < 0 ? third : SELDOM_ENOUGH;
  }

  /// Silence after which a leader missed a renewal.
  public Duration missedRenewal() {
    return missed(renewal());
  }

  /// Silence after which a renewal was missed: it was due a whole interval ago, so a slow database
  /// does not look like a dead leader.
  public static Duration missed(Duration renewal) {
    return renewal.multipliedBy(2);
  }
}
