package io.headgate.scheduler.core;

import io.headgate.scheduler.core.job.Assignment;
import io.headgate.scheduler.core.job.Hold;
import io.headgate.scheduler.core.placement.FitAfterReports;
import io.headgate.scheduler.core.placement.PoolState;
import io.headgate.scheduler.core.queue.LiveHold;
import io.headgate.scheduler.core.queue.LiveJob;
import io.headgate.scheduler.core.queue.Route;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Places that a new leader keeps for jobs on nodes that have not reported yet. The leader hands
/// out work node by node as nodes report. Meanwhile it decides nothing that it would not decide
/// with all nodes known:
///
/// * *No preemption* while the leader waits for nodes (P1, P2, P4). They may have free room, and
///   policies that seem above their reservations may not be. A job that would preempt is promised
///   the place instead.
/// * *No passing* (O1-O5, O7). A job that fits nowhere now, but will once these nodes have
///   reported, is promised its place there. So worse-ranked jobs do not get what it needs of
///   reported nodes (a gang), of limits (A2-A4, A8) and of the pool's ceiling (A7). All other jobs
///   start.
/// * *Holds stay* (P5, O7). A hold on a node that has not reported is kept and used after the
///   report. No promise ends the hold of a blocked job.
///
/// Free room on reported nodes goes at once to the first job that fits. The place may be worse than
/// one on a node or pool that has not reported. But a job takes what can satisfy it *now* (O6), and
/// no job waits for a machine that may be gone.
///
/// Promises are no effects. A pass makes them after the turns of better-ranked jobs, and withdraws
/// them at its end, after the reasons are reported. They are not stored; each report decides them
/// anew. When the time for reports is over, missing nodes simply no longer count.
final class Promises {
  /// Promises of one pass; jobs after the last one wait for more nodes to report. Only a large
  /// cluster that is mostly idle and mostly unreported reaches it.
  static final int MAX = 1_000;

  private final World world;
  private final Transitions transitions;
  private final Instant now;
  private final boolean areDue;
  private final List<LiveHold> made = new ArrayList<>();

  Promises(World world, Transitions transitions, Instant now) {
    this.world = world;
    this.transitions = transitions;
    this.now = now;
    this.areDue = isSomeNodeAwaited(world);
  }

  private static boolean isSomeNodeAwaited(World world) {
    for (PoolState pool : world.pools.values()) {
      if (!pool.awaitedNodes().isEmpty()) {
        return true;
      }
    }
    return false;
  }

  /// Whether some nodes are waited for.
  boolean areDue() {
    return areDue;
  }

  /// Whether no more can be made in this pass.
  boolean areExhausted() {
    return made.size() >= MAX;
  }

  /// Where a job that fits nowhere now will start if all nodes report that are waited for.
  Optional<Assignment> find(LiveJob job) {
    if (!areDue) {
      return Optional.empty();
    }
    for (Route route : job.queue().routes(job)) {
      Optional<Assignment> place =
          route.hasRoomForTenant()
              ? FitAfterReports.place(route.pool(), route.ranking())
              : Optional.empty();
      if (place.isPresent()) {
        return place;
      }
    }
    return Optional.empty();
  }

  /// Keeps the place for the job until the pass ends, without an effect.
  LiveHold make(LiveJob job, Assignment place) {
    Hold hold = new Hold(job.id(), place, List.of(), Optional.empty(), Optional.of(now), now);
    job.queue().dequeue(job);
    LiveHold live = transitions.holds().liveHold(hold, job);
    transitions.holds().place(live);
    made.add(live);
    return live;
  }

  /// Takes all back: their jobs wait in their lanes again.
  void takeBack() {
    for (LiveHold promise : made) {
      transitions.holds().lift(promise);
      world.holds.remove(promise.job().id());
      transitions.enqueue(promise.job());
    }
    made.clear();
  }
}
