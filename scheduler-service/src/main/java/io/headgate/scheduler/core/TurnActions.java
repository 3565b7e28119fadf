package io.headgate.scheduler.core;

import io.headgate.scheduler.core.job.Assignment;
import io.headgate.scheduler.core.job.Hold;
import io.headgate.scheduler.core.job.HoldRelease;
import io.headgate.scheduler.core.job.PreemptionRule;
import io.headgate.scheduler.core.placement.PoolState;
import io.headgate.scheduler.core.preemption.PreemptionSearch.Result;
import io.headgate.scheduler.core.queue.LiveAttempt;
import io.headgate.scheduler.core.queue.LiveJob;
import io.headgate.scheduler.core.queue.RoomRequest;
import io.headgate.scheduler.core.queue.Route;
import io.headgate.scheduler.core.queue.Turn;
import java.time.Instant;
import java.util.List;

/// The actions of a candidate in its turn. The first one that succeeds is the outcome:
///
/// 1. Start where it fits, in routing order (O6).
/// 2. Start on capacity that is held for another job, if it ends before that job starts (O7).
/// 3. Take a promise on a node that a new leader waits for ([Promises]).
/// 4. Make room by preemption (P1 to P10), unless an elastic pool may serve it in time (P6).
/// 5. Make room by moving jobs, where a pool consolidates (P11, [Consolidator]).
/// 6. Hold capacity that running jobs will leave, once it was blocked for long enough (O7).
///
/// Where 2, 4, 5 or 6 would succeed in a pool where the candidate's turn comes later, it waits for
/// that turn. So whatever becomes free in a pool goes by the order of that pool.
final class TurnActions {
  private final World world;
  private final Transitions transitions;
  private final RoomSearches searches;
  private final BlockedHolds blockedHolds;
  private final HeadroomHolds headroom;
  private final Promises promises;
  private final Scaling scaling;
  private final WakeTime wake;
  private final Instant now;
  private final Preemptor preemptor;
  private final Consolidator consolidator;

  TurnActions(
      World world,
      Transitions transitions,
      RoomSearches searches,
      BlockedHolds blockedHolds,
      HeadroomHolds headroom,
      Promises promises,
      Scaling scaling,
      WakeTime wake,
      Instant now) {
    this.world = world;
    this.transitions = transitions;
    this.searches = searches;
    this.blockedHolds = blockedHolds;
    this.headroom = headroom;
    this.promises = promises;
    this.scaling = scaling;
    this.wake = wake;
    this.now = now;
    this.preemptor = new Preemptor(world, transitions, now);
    this.consolidator = new Consolidator(world, transitions, blockedHolds, wake, now);
  }

  TurnOutcome take(Turn turn) {
    LiveJob job = turn.head();
    if (job == null) {
      throw new IllegalStateException("no candidate in " + turn.queue().id());
    }
    return startWhereItFits(turn, job)
        .or(() -> startOnHeldCapacity(turn, job))
        .or(() -> takePromise(turn, job))
        .or(() -> makeRoom(turn, job))
        .or(() -> consolidate(turn, job))
        .or(() -> hold(turn, job));
  }

  private TurnOutcome startWhereItFits(Turn turn, LiveJob job) {
    Route route = turn.route();
    return route == null
        ? TurnOutcome.nothing()
        : start(job, route.pool().place(route.ranking()).orElseThrow());
  }

  private TurnOutcome startOnHeldCapacity(Turn turn, LiveJob job) {
    Assignment place = turn.mayStart() ? blockedHolds.passing(job).orElse(null) : null;
    if (place == null) {
      return TurnOutcome.nothing();
    }
    PoolState pool = world.pool(place.pool());
    return turn.comesLaterIn(pool) ? new TurnOutcome.Later(turn, pool) : start(job, place);
  }

  private TurnOutcome start(LiveJob job, Assignment place) {
    blockedHolds.leave(job, HoldRelease.USED);
    LiveAttempt started = transitions.start(job, place, now);
    headroom.leave(job);
    return new TurnOutcome.Started(started);
  }

  /// A job that had a hold waits for that instead.
  private TurnOutcome takePromise(Turn turn, LiveJob job) {
    return turn.mayStart() && !blockedHolds.isLifted(job)
        ? promises.find(job).map(place -> promise(job, place)).orElseGet(TurnOutcome::nothing)
        : TurnOutcome.nothing();
  }

  private TurnOutcome promise(LiveJob job, Assignment place) {
    return new TurnOutcome.Promised(promises.make(job, place));
  }

  /// A job that has not waited long enough to preempt (P2) acts for its queue: those behind it wait
  /// with it.
  private TurnOutcome makeRoom(Turn turn, LiveJob job) {
    if (promises.areDue() && blockedHolds.isLifted(job)) {
      return TurnOutcome.nothing();
    }
    List<RoomRequest> requests = RoomRequest.of(turn, world.bars.isBarred(job));
    if (!requests.isEmpty() && job.preemptsFrom().isAfter(now)) {
      wake.by(job.preemptsFrom());
      return TurnOutcome.nothing();
    }
    boolean areSomeSuspended = world.possibleVictims.areSuspendedOf(job.queue().account());
    TurnOutcome outcome = TurnOutcome.nothing();
    for (RoomRequest request : requests) {
      RoomRequest open = waitsForInstance(job, request) ? request.withinOnly() : request;
      if (outcome instanceof TurnOutcome.Nothing && open != null) {
        outcome = preempt(turn, job, areSomeSuspended ? open.withJob(job) : open);
      }
    }
    return outcome;
  }

  /// An instance that a provider adds takes nothing from other policies, so it comes first (P6).
  private boolean waitsForInstance(LiveJob job, RoomRequest request) {
    return request.rule() != PreemptionRule.P9
        && job.queue().group().isElastic()
        && scaling.mayServe(job);
  }

  private TurnOutcome preempt(Turn turn, LiveJob job, RoomRequest request) {
    switch (searches.search(request, blockedHolds.inForce(), now)) {
      case Result.Found found -> {
        if (turn.comesLaterIn(found.pool())) {
          return new TurnOutcome.Later(turn, found.pool());
        }
        if (promises.areDue()) {
          return promise(job, found.place());
        }
        long before = world.changes.roomVersion();
        blockedHolds.leave(job, HoldRelease.NOT_NEEDED);
        TurnOutcome outcome = preemptor.preempt(job, request, found, turn.mayStart());
        headroom.leave(job);
        searches.keepFailures(request, before);
        return outcome;
      }
      case Result.NotFound notFound -> {
        notFound.retryAt().ifPresent(wake::by);
        return TurnOutcome.nothing();
      }
    }
  }

  private TurnOutcome consolidate(Turn turn, LiveJob job) {
    boolean mayMove =
        turn.mayStart()
            && job.queue().group().consolidates()
            && !promises.areDue()
            && !(job.queue().group().isElastic() && scaling.mayServe(job));
    TurnOutcome outcome = mayMove ? consolidator.makeRoom(turn, job) : TurnOutcome.nothing();
    if (outcome instanceof TurnOutcome.Consolidated) {
      headroom.leave(job);
    }
    return outcome;
  }

  private TurnOutcome hold(Turn turn, LiveJob job) {
    Instant from = turn.mayStart() ? turn.holdsFrom() : null;
    if (from == null || (promises.areDue() && !blockedHolds.isLifted(job))) {
      return TurnOutcome.nothing();
    }
    if (from.isAfter(now)) {
      wake.by(from);
      return TurnOutcome.nothing();
    }
    Hold found = blockedHolds.find(turn, job).orElse(null);
    if (found == null) {
      blockedHolds.giveUp(job, wake);
      return TurnOutcome.nothing();
    }
    PoolState pool = world.pool(found.place().pool());
    return turn.comesLaterIn(pool)
        ? new TurnOutcome.Later(turn, pool)
        : new TurnOutcome.Held(blockedHolds.place(job, found));
  }
}
