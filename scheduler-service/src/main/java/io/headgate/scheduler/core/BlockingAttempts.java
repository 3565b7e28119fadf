package io.headgate.scheduler.core;

import io.headgate.scheduler.core.job.AttemptId;
import io.headgate.scheduler.core.job.WorkerPlace;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.core.placement.NodeState;
import io.headgate.scheduler.core.placement.Stake;
import io.headgate.scheduler.core.preemption.PreemptionSearch.Result;
import io.headgate.scheduler.core.queue.LiveAttempt;
import io.headgate.scheduler.core.queue.LiveJob;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/// The attempts that must leave a place before its job can start.
final class BlockingAttempts {
  private BlockingAttempts() {}

  /// The victims, or those that were stopping on its nodes anyway; in the order of their
  /// assignment.
  static List<AttemptId> of(World world, Result.Found found) {
    Set<LiveAttempt> leaving = new TreeSet<>(Comparator.comparingLong(LiveAttempt::sequence));
    leaving.addAll(found.victims());
    if (leaving.isEmpty()) {
      for (WorkerPlace place : found.place().workers()) {
        addStopping(world, leaving, place.node());
      }
    }
    List<AttemptId> ids = new ArrayList<>();
    leaving.forEach(attempt -> ids.add(attempt.id()));
    return ids;
  }

  private static void addStopping(World world, Set<LiveAttempt> attempts, NodeId id) {
    NodeState node = world.nodes.get(id);
    if (node == null) {
      return;
    }
    for (NodeState.Share share : node.shares()) {
      LiveJob job = world.jobs.get(share.job());
      if (share.stake() == Stake.STOPPING && job != null && job.attempt() != null) {
        attempts.add(job.attempt());
      }
    }
  }
}
