package io.headgate.scheduler.core;

import io.headgate.scheduler.core.job.Assignment;
import io.headgate.scheduler.core.job.Hold;
import io.headgate.scheduler.core.placement.OnceReported;
import io.headgate.scheduler.core.placement.PoolState;
import io.headgate.scheduler.core.queue.LiveHold;
import io.headgate.scheduler.core.queue.LiveJob;
import io.headgate.scheduler.core.queue.Route;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// What a new leader keeps for jobs until the nodes have reported that it waits for. It hands out
/// work node by node as they report, and nothing that it does meanwhile may be what it would not
/// have done a moment later, when it knows them all:
///
/// * *Nobody is asked to go* while some nodes are waited for: they may have room that nobody knows
///   of, and the policies that seem to be above their reservation may not be (P1, P2, P4). What a
///   job would preempt for, had they all reported, is promised to it instead.
/// * *Who comes first is not passed* (O1-O5, O7): a job that fits nowhere now, but will when these
///   nodes have reported, is promised its place there. So what it needs of nodes that have reported
///   (a gang), of its policy's, user's and tenant's limits (A2-A4, A8) and of the pool's ceiling
///   (A7) is not given to worse-ranked jobs. All others start.
/// * *Holds stay* (P5, O7): one on a node that is waited for is kept, and used when it has
///   reported; and no promise ends one of a long-blocked job.
///
/// Free room on nodes that have reported goes at once to the first who fits there, although it
/// might lie better on another node, or in a pool that comes first in its routing but has not
/// reported: a job takes what can satisfy it *now* (O6), and no job waits for a machine that may be
/// gone while another one idles for it.
///
/// Promises are no effects: they are made in a pass, after the turns of those who come before, and
/// are taken back at its end, when reasons have been told. Nothing of them is stored, and who gets
/// what is decided anew with each report. What is given up when the time is over within which nodes
/// have to report is only that these nodes count for something.
final class Promises {
  /// In one pass; who comes after the last one waits for more nodes to report. Only while a large
  /// part of a large cluster is waited for, and is idle, are there so many.
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
              ? OnceReported.place(route.pool(), route.ranking())
              : Optional.empty();
      if (place.isPresent()) {
        return place;
      }
    }
    return Optional.empty();
  }

  /// Keeps the place for the job until the pass ends; no effect tells of it.
  LiveHold make(LiveJob job, Assignment place) {
    Hold hold = new Hold(job.id(), place, List.of(), Optional.empty(), Optional.of(now), now);
    job.queue().dequeue(job);
    LiveHold live = transitions.liveHold(hold, job);
    transitions.place(live);
    made.add(live);
    return live;
  }

  /// Takes all back: their jobs wait in their lanes again.
  void takeBack() {
    for (LiveHold promise : made) {
      transitions.lift(promise);
      world.holds.remove(promise.job().id());
      transitions.enqueue(promise.job());
    }
    made.clear();
  }
}
