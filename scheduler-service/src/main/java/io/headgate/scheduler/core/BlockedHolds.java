package io.headgate.scheduler.core;

import io.headgate.scheduler.core.job.Assignment;
import io.headgate.scheduler.core.job.Hold;
import io.headgate.scheduler.core.job.HoldRelease;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.WorkerPlace;
import io.headgate.scheduler.core.placement.NodeState;
import io.headgate.scheduler.core.placement.PoolState;
import io.headgate.scheduler.core.placement.Room;
import io.headgate.scheduler.core.placement.Stake;
import io.headgate.scheduler.core.preemption.HoldSearch;
import io.headgate.scheduler.core.queue.LiveAttempt;
import io.headgate.scheduler.core.queue.LiveHold;
import io.headgate.scheduler.core.queue.LiveJob;
import io.headgate.scheduler.core.queue.Route;
import io.headgate.scheduler.core.queue.RouteGroup;
import io.headgate.scheduler.core.queue.Turn;
import io.headgate.scheduler.core.rights.DepartmentAccount;
import io.headgate.scheduler.core.rights.PolicyAccount;
import io.headgate.scheduler.core.rights.TenantAccount;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The holds of jobs that were blocked for too long (O7) during one round, one for each pool.
///
/// A hold is part of the order of the round: it is lifted when the round begins, and placed again
/// when its job's turn comes and the job still fits nowhere. So it never stands in the way of a
/// better-ranked job, and no worse-ranked job passes it.
final class BlockedHolds {
  private final World world;
  private final Transitions transitions;
  private final Instant now;

  /// The holds lifted in this round or an earlier one of the pass, and neither placed again nor
  /// given up.
  private final Map<JobId, LiveHold> lifted = new LinkedHashMap<>();

  /// The holds in force, in the order in which they were placed.
  private final Map<PoolState, LiveHold> placed = new LinkedHashMap<>();

  /// The holds that were in force when the round began.
  private final List<Hold> before = new ArrayList<>();

  private BlockedHolds(World world, Transitions transitions, Instant now) {
    this.world = world;
    this.transitions = transitions;
    this.now = now;
  }

  /// Begins a round: lifts all holds of blocked jobs.
  ///
  /// @param previous the holds of the round before; null: this is the first one of the pass
  static BlockedHolds lift(
      World world, Transitions transitions, Instant now, @Nullable BlockedHolds previous) {
    BlockedHolds holds = new BlockedHolds(world, transitions, now);
    if (previous != null) {
      holds.lifted.putAll(previous.lifted);
    }
    for (LiveHold hold : List.copyOf(world.holds.values())) {
      if (hold.isForBlocked()) {
        holds.before.add(hold.hold());
        transitions.holds().liftForRound(hold);
        holds.lifted.put(hold.job().id(), hold);
      }
    }
    return holds;
  }

  /// The holds in force, in the order in which they were placed.
  List<LiveHold> inForce() {
    return List.copyOf(placed.values());
  }

  /// The job starts, or victims make room for it: its lifted hold ends.
  void leave(LiveJob job, HoldRelease cause) {
    if (lifted.remove(job.id()) != null) {
      transitions.emit(new Effect.HoldReleased(job.id(), cause));
    }
  }

  /// Whether any hold is in force.
  boolean areSome() {
    return !placed.isEmpty();
  }

  /// Whether a hold is in force in the pool.
  boolean isPlacedIn(PoolState pool) {
    return placed.containsKey(pool);
  }

  /// Whether a hold is in force for a job of the policy.
  boolean someAreOf(PolicyAccount policy) {
    for (LiveHold hold : placed.values()) {
      if (hold.policy() == policy) {
        return true;
      }
    }
    return false;
  }

  /// Whether a hold is in force for a job of a policy below the department.
  boolean someAreBelow(DepartmentAccount department) {
    for (LiveHold hold : placed.values()) {
      if (hold.levels().isBelow(department)) {
        return true;
      }
    }
    return false;
  }

  /// Whether a hold is in force for a job of the tenant, in a pool with this account.
  boolean someAreOf(TenantAccount tenant) {
    for (LiveHold hold : placed.values()) {
      if (hold.tenant() == tenant) {
        return true;
      }
    }
    return false;
  }

  /// Whether a place that was held when the round began is not held now.
  boolean someLeftTheirPlace() {
    for (Hold hold : before) {
      LiveHold now = world.holds.get(hold.job());
      if (now == null || !now.hold().equals(hold)) {
        return true;
      }
    }
    return false;
  }

  /// Restores the lifted holds whose places are still free.
  void restoreLifted() {
    for (LiveHold hold : List.copyOf(lifted.values())) {
      if (mayStay(hold)) {
        restore(hold);
      }
    }
  }

  /// Releases the lifted holds: better-ranked jobs have taken their places.
  void releaseLifted() {
    for (JobId job : lifted.keySet()) {
      world.changes.freed();
      transitions.emit(new Effect.HoldReleased(job, HoldRelease.OUTRANKED));
    }
  }

  /// Whether [#find] may find a place for a job with these routes that had no hold: in some pool
  /// without a hold, no search has found it hopeless.
  boolean maySomeHold(RouteGroup group) {
    for (Route route : group.routes()) {
      if (!placed.containsKey(route.pool())
          && route.hasRoomForTenant()
          && !world.changes.isHopeless(route)) {
        return true;
      }
    }
    return false;
  }

  /// Whether the job had a hold before this pass that was neither found again nor given up.
  boolean isLifted(LiveJob job) {
    return !lifted.isEmpty() && lifted.containsKey(job.id());
  }

  /// Finds capacity to hold for a job whose turn it is and that fits nowhere. It is the place that
  /// the job had before, if that is still free. Otherwise it is where the job is expected to start
  /// first. Empty when there is no such place, or better-ranked jobs hold in all its pools.
  ///
  /// A former place where the turn comes later is only one of all: before that turn comes, another
  /// may take it.
  Optional<Hold> find(Turn turn, LiveJob job) {
    LiveHold former = lifted.get(job.id());
    if (former != null && mayStay(former) && !turn.isLaterIn(former.pool())) {
      return Optional.of(former.hold());
    }
    HoldSearch.Found best = null;
    for (Route route : job.queue().routes(job)) {
      if (placed.containsKey(route.pool()) || !route.hasRoomForTenant()) {
        continue;
      }
      Optional<HoldSearch.Found> found = search(route);
      if (found.isPresent() && (best == null || startOf(found.get()).isBefore(startOf(best)))) {
        best = found.get();
      }
    }
    return best == null
        ? Optional.empty()
        : Optional.of(
            new Hold(
                job.id(),
                best.place(),
                best.waitsFor(),
                Optional.empty(),
                best.expectedStart(),
                now));
  }

  private boolean mayStay(LiveHold hold) {
    return !placed.containsKey(hold.pool())
        && !hold.isBroken()
        && hold.isOfItsQueue()
        && isOpen(hold.job(), hold.pool())
        && willBeFree(hold);
  }

  private void restore(LiveHold hold) {
    lifted.remove(hold.job().id());
    transitions.holds().restore(hold);
    placed.put(hold.pool(), hold);
  }

  /// Whether the job's tenant lets it start in the pool (A3).
  private static boolean isOpen(LiveJob job, PoolState pool) {
    for (Route route : job.queue().routes(job)) {
      if (route.pool() == pool) {
        return route.hasRoomForTenant();
      }
    }
    return false;
  }

  /// Whether its place will be free when its job is expected to start: better-ranked jobs may have
  /// taken of it.
  private boolean willBeFree(LiveHold hold) {
    for (NodeState node : hold.distinctNodes()) {
      Room room = Room.soon(node);
      for (NodeState.Share share : node.shares()) {
        LiveJob job = world.jobs.get(share.job());
        if (share.stake() == Stake.LIVE && job != null && willHaveEnded(job.attempt(), hold)) {
          room.give(share.place());
        }
      }
      if (!hold.fitsIn(room)) {
        return false;
      }
    }
    return true;
  }

  private static boolean willHaveEnded(@Nullable LiveAttempt attempt, LiveHold hold) {
    if (attempt == null || hold.hold().waitsFor().contains(attempt.id())) {
      return true;
    }
    Instant start = hold.hold().expectedStart().orElse(Instant.MIN);
    return attempt.endsBy().map(end -> !end.isAfter(start)).orElse(false);
  }

  /// Holds what [#find] found for the job.
  LiveHold place(LiveJob job, Hold hold) {
    LiveHold former = lifted.get(job.id());
    if (former != null && former.hold().equals(hold)) {
      restore(former);
      return former;
    }
    leave(job, HoldRelease.NOT_NEEDED);
    LiveHold live = transitions.holds().hold(job, hold);
    placed.put(live.pool(), live);
    transitions.emit(new Effect.JobReasonChanged(job.id(), Reasons.waiting(live)));
    return live;
  }

  private static Instant startOf(HoldSearch.Found found) {
    return found.expectedStart().orElse(Instant.MAX);
  }

  private Optional<HoldSearch.Found> search(Route route) {
    if (world.changes.isHopeless(route)) {
      return Optional.empty();
    }
    Optional<HoldSearch.Found> found = HoldSearch.search(route, world.ends, this::attemptOf, now);
    if (found.isEmpty()) {
      world.changes.setHopeless(route);
    }
    return found;
  }

  private @Nullable LiveAttempt attemptOf(JobId id) {
    LiveJob job = world.jobs.get(id);
    return job == null ? null : job.attempt();
  }

  /// A place on held capacity for a job that will be gone before the holder is expected to start;
  /// empty when there is none. Only jobs of one worker pass in this way.
  Optional<Assignment> passing(LiveJob job) {
    Optional<Duration> most = job.spec().longest();
    if (most.isEmpty() || job.queue().shape().isGang()) {
      return Optional.empty();
    }
    Instant end = now.plus(most.get());
    for (Route route : job.queue().routes(job)) {
      LiveHold hold = placed.get(route.pool());
      if (hold == null
          || !route.hasRoomForTenant()
          || hold.hold().expectedStart().map(end::isAfter).orElse(true)
          || !route.pool().hasRoom(job.queue().need())) {
        continue;
      }
      List<NodeState> nodes = new ArrayList<>(hold.distinctNodes());
      nodes.sort(Comparator.naturalOrder());
      for (NodeState node : nodes) {
        Optional<WorkerPlace> place =
            node.takesWork()
                ? route.pool().take(hold.roomWithout(node), job.queue().shape())
                : Optional.empty();
        if (place.isPresent()) {
          return Optional.of(new Assignment(route.pool().id(), List.of(place.get())));
        }
      }
    }
    return Optional.empty();
  }
}
