package io.headgate.scheduler.core;

import io.headgate.scheduler.core.job.Assignment;
import io.headgate.scheduler.core.job.Hold;
import io.headgate.scheduler.core.job.HoldPause;
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
import java.util.function.Predicate;
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
  private final HoldTerms terms;

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
    this.terms = new HoldTerms(world, now);
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
    return isSome(hold -> hold.policy() == policy);
  }

  /// Whether a hold is in force for a job of a policy below the department.
  boolean someAreBelow(DepartmentAccount department) {
    return isSome(hold -> hold.levels().isBelow(department));
  }

  /// Whether a hold is in force for a job of the tenant, in a pool with this account.
  boolean someAreOf(TenantAccount tenant) {
    return isSome(hold -> hold.tenant() == tenant);
  }

  private boolean isSome(Predicate<LiveHold> condition) {
    for (LiveHold hold : placed.values()) {
      if (condition.test(hold)) {
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
  boolean maySomeHold(RouteGroup group, Duration holdAfter) {
    for (Route route : group.routes()) {
      if (!placed.containsKey(route.pool())
          && route.hasRoomForTenant()
          && !world.changes.isHopeless(route, holdAfter)) {
        return true;
      }
    }
    return false;
  }

  /// Whether the job had a hold before this pass that was neither found again nor given up.
  boolean isLifted(LiveJob job) {
    return !lifted.isEmpty() && lifted.containsKey(job.id());
  }

  /// Gives up the former hold of a job for which [#find] found nothing, if the hold has lasted its
  /// time.
  ///
  /// @param wake gets the end of the job's pause between holds
  void giveUp(LiveJob job, WakeTime wake) {
    LiveHold former = lifted.get(job.id());
    if (former != null && terms.isExpired(former)) {
      expire(former);
    }
    terms.pausesUntil(job).ifPresent(wake::by);
  }

  private void expire(LiveHold hold) {
    LiveJob job = hold.job();
    world.changes.freed();
    leave(job, HoldRelease.EXPIRED);
    pause(job, Optional.of(HoldPause.after(job.holdPause(), job.queue().holdAfter(), now)));
  }

  private void pause(LiveJob job, Optional<HoldPause> pause) {
    job.setHoldPause(pause);
    transitions.emit(new Effect.HoldPauseChanged(job.id(), pause));
  }

  /// Wakes when time alone changes what is expected of the holds in force.
  void wake(WakeTime wake) {
    for (LiveHold hold : world.holds.values()) {
      if (hold.isForBlocked()) {
        terms.wake(hold, wake);
      }
    }
  }

  /// Finds capacity to hold for a job whose turn it is and that fits nowhere. It is the place that
  /// the job had before, if that is still free. Otherwise it is where the job is expected to start
  /// first. Empty when there is no such place, better-ranked jobs hold in all its pools, or the job
  /// pauses between holds.
  ///
  /// A former place where the turn comes later is only one of all: before that turn comes, another
  /// may take it.
  Optional<Hold> find(Turn turn, LiveJob job) {
    LiveHold former = lifted.get(job.id());
    if (former != null
        && mayStay(former)
        && !terms.isOver(former)
        && !turn.isLaterIn(former.pool())) {
      return Optional.of(former.hold());
    }
    HoldSearch.Found best = null;
    boolean isKnownOnly = former != null ? terms.isExpired(former) : terms.isPausing(job);
    for (Route route : job.queue().routes(job)) {
      if (placed.containsKey(route.pool()) || !route.hasRoomForTenant()) {
        continue;
      }
      Optional<HoldSearch.Found> found = search(job, route, isKnownOnly);
      if (found.isPresent() && (best == null || found.get().isEarlierThan(best))) {
        best = found.get();
      }
    }
    return best == null ? Optional.empty() : Optional.of(terms.hold(job, best));
  }

  /// When the job is expected to start if nothing else makes room for it (P11); empty: unknown.
  Optional<Instant> expectedStart(LiveJob job) {
    LiveHold former = lifted.get(job.id());
    if (former != null) {
      return former.hold().expectedStart();
    }
    Optional<Instant> start = Optional.empty();
    for (Route route : job.queue().routes(job)) {
      // Beside another hold a search would say nothing about later ones.
      Optional<Instant> other =
          placed.containsKey(route.pool())
              ? Optional.empty()
              : search(job, route, true).flatMap(HoldSearch.Found::expectedStart);
      if (other.isPresent() && (start.isEmpty() || other.get().isBefore(start.get()))) {
        start = other;
      }
    }
    return start;
  }

  private boolean mayStay(LiveHold hold) {
    return !placed.containsKey(hold.pool())
        && !hold.isBroken()
        && hold.isOfItsQueue()
        && isOpen(hold.job(), hold.pool())
        && !terms.isBlockedByEndless(hold)
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
  /// taken of it. Jobs that passed it will have ended by then, or by the end of the hold.
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

  private boolean willHaveEnded(@Nullable LiveAttempt attempt, LiveHold hold) {
    if (attempt == null || hold.hold().waitsFor().contains(attempt.id())) {
      return true;
    }
    Instant until = hold.hold().passableUntil().orElse(Instant.MIN);
    return terms.ends(hold.job()).of(attempt).at().map(end -> !end.isAfter(until)).orElse(false);
  }

  /// Holds what [#find] found for the job.
  LiveHold place(LiveJob job, Hold hold) {
    LiveHold former = lifted.get(job.id());
    if (former != null && former.hold().equals(hold)) {
      restore(former);
      return former;
    }
    leave(job, HoldRelease.NOT_NEEDED);
    if (hold.expectedStart().isPresent() && job.holdPause().isPresent()) {
      pause(job, Optional.empty());
    }
    LiveHold live = transitions.holds().hold(job, hold);
    placed.put(live.pool(), live);
    transitions.emit(new Effect.JobReasonChanged(job.id(), Reasons.waiting(live)));
    return live;
  }

  /// @param isKnownOnly whether a place is of no use where the expected start is unknown
  private Optional<HoldSearch.Found> search(LiveJob job, Route route, boolean isKnownOnly) {
    Changes changes = world.changes;
    Duration holdAfter = job.queue().holdAfter();
    if (isKnownOnly
        ? changes.hasNoKnownStart(route, holdAfter)
        : changes.isHopeless(route, holdAfter)) {
      return Optional.empty();
    }
    switch (world.holdSearches.search(route, terms.ends(job))) {
      case HoldSearch.Found found -> {
        if (found.expectedStart().isEmpty()) {
          changes.setUnknown(route, holdAfter);
        }
        return found.expectedStart().isEmpty() && isKnownOnly
            ? Optional.empty()
            : Optional.of(found);
      }
      case HoldSearch.NoPlace(boolean endless) -> {
        if (endless) {
          changes.setBlocked(route, holdAfter);
        } else {
          changes.setHopeless(route);
        }
        return Optional.empty();
      }
    }
  }

  /// A place on held capacity for a job that will be gone before the holder is expected to start;
  /// empty when there is none.
  Optional<Assignment> passing(LiveJob job) {
    Optional<Duration> most = job.spec().longest();
    if (most.isEmpty()) {
      return Optional.empty();
    }
    Instant end = now.plus(most.get());
    for (Route route : job.queue().routes(job)) {
      LiveHold hold = placed.get(route.pool());
      if (hold == null
          || !route.hasRoomForTenant()
          || hold.hold().passableUntil().map(end::isAfter).orElse(true)) {
        continue;
      }
      Optional<Assignment> place =
          job.queue().shape().isGang() ? passingGang(route, hold) : passing(job, route, hold);
      if (place.isPresent()) {
        return place;
      }
    }
    return Optional.empty();
  }

  private Optional<Assignment> passingGang(Route route, LiveHold hold) {
    return transitions.holds().without(hold, () -> route.pool().place(route.ranking()));
  }

  private static Optional<Assignment> passing(LiveJob job, Route route, LiveHold hold) {
    long held = hold.claim().units();
    if (!route.pool().hasRoomWithout(held, job.queue().need())) {
      return Optional.empty();
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
    return route.pool().placeWithout(hold.claim().units(), route.ranking());
  }
}
