package io.headgate.scheduler.core;

import io.headgate.scheduler.core.catalog.Pool;
import io.headgate.scheduler.core.job.Assignment;
import io.headgate.scheduler.core.job.AttemptId;
import io.headgate.scheduler.core.job.Hold;
import io.headgate.scheduler.core.job.HoldRelease;
import io.headgate.scheduler.core.job.Preemption;
import io.headgate.scheduler.core.job.PreemptionGrounds;
import io.headgate.scheduler.core.job.PreemptionRule;
import io.headgate.scheduler.core.job.StopCause;
import io.headgate.scheduler.core.job.StopOrder;
import io.headgate.scheduler.core.job.StopOutcome;
import io.headgate.scheduler.core.placement.PoolState;
import io.headgate.scheduler.core.preemption.ConsolidationSearch;
import io.headgate.scheduler.core.preemption.ConsolidationSearch.Move;
import io.headgate.scheduler.core.preemption.ConsolidationSearch.Plan;
import io.headgate.scheduler.core.preemption.PreemptionSearch.Result;
import io.headgate.scheduler.core.queue.LiveAttempt;
import io.headgate.scheduler.core.queue.LiveHold;
import io.headgate.scheduler.core.queue.LiveJob;
import io.headgate.scheduler.core.queue.Route;
import io.headgate.scheduler.core.queue.Turn;
import io.headgate.scheduler.core.rights.TenantAccount;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Moves movable jobs of a pool that consolidates, to make room for a blocked job (P11).
///
/// Each moved job has a place held for it elsewhere before it is asked to stop, and the blocked job
/// has the place held that they leave. All that is one decision. The moved jobs start again in
/// their new places without a turn, as jobs do whose victims have left.
final class Consolidator {
  private final World world;
  private final Transitions transitions;
  private final BlockedHolds blockedHolds;
  private final WakeTime wake;
  private final Instant now;

  Consolidator(
      World world, Transitions transitions, BlockedHolds blockedHolds, WakeTime wake, Instant now) {
    this.world = world;
    this.transitions = transitions;
    this.blockedHolds = blockedHolds;
    this.wake = wake;
    this.now = now;
  }

  /// Makes room for a candidate that fits nowhere, if that loses less GPU time than its wait.
  TurnOutcome makeRoom(Turn turn, LiveJob job) {
    for (Route route : job.queue().routes(job)) {
      if (!consolidates(route.pool())
          || !world.movable.areSomeIn(route.pool())
          || !route.hasRoomForTenant()
          || job.queue().need() == 0) {
        continue;
      }
      if (job.preemptsFrom().isAfter(now)) {
        wake.by(job.preemptsFrom());
        return TurnOutcome.nothing();
      }
      Optional<Plan> found = find(turn, job, route);
      if (found.isPresent()) {
        return turn.comesLaterIn(route.pool())
            ? new TurnOutcome.Later(turn, route.pool())
            : carryOut(job, found.get());
      }
    }
    return TurnOutcome.nothing();
  }

  private static boolean consolidates(PoolState pool) {
    return pool.pool().map(Pool::consolidate).orElse(false);
  }

  /// A job that has not started when it was expected to waits for longer than it seemed, so more
  /// may be lost for it then.
  private Optional<Plan> find(Turn turn, LiveJob job, Route route) {
    Optional<Instant> start = blockedHolds.expectedStart(job);
    Optional<Plan> found = find(turn, job, route, wait(job, start));
    if (found.isEmpty()) {
      start.filter(time -> time.isAfter(now)).ifPresent(wake::by);
    }
    return found;
  }

  /// How long the job must wait if nothing else makes room for it.
  private Duration wait(LiveJob job, Optional<Instant> start) {
    return start.isEmpty()
        ? job.queue().holdAfter()
        : start.get().isAfter(now) ? Duration.between(now, start.get()) : job.queue().holdAfter();
  }

  private Optional<Plan> find(Turn turn, LiveJob job, Route route, Duration wait) {
    double most = (double) job.queue().need() * wait.toMillis();
    long version = world.changes.roomVersion();
    List<LiveHold> holds = blockedHolds.inForce();
    FailedMoves.Search asked = new FailedMoves.Search(route, turn.standing());
    if (world.failedMoves.isKnown(asked, most, holds, version, now, wake)) {
      return Optional.empty();
    }
    ConsolidationSearch search =
        new ConsolidationSearch(route, turn.standing(), world.movable, now);
    Optional<Plan> found = search.find(most);
    if (found.isEmpty()) {
      world.failedMoves.add(asked, most, holds, search.retryAt());
      search.retryAt().ifPresent(wake::by);
    }
    return found;
  }

  private TurnOutcome carryOut(LiveJob job, Plan plan) {
    blockedHolds.leave(job, HoldRelease.NOT_NEEDED);
    List<LiveAttempt> moved = plan.moves().stream().map(Move::attempt).toList();
    Result.Found found = new Result.Found(plan.pool(), plan.place(), moved);
    TenantAccount winner = world.tenant(plan.pool(), job.queue().account().id().tenant());
    List<LiveHold> places = new ArrayList<>();
    for (Move move : plan.moves()) {
      LiveAttempt attempt = move.attempt();
      PreemptionGrounds grounds =
          Preemptor.grounds(job, attempt, winner, found)
              .losing(Preemptor.gpuTime(attempt.lostByMove(now)));
      attempt.job().preempted(new Preemption(job.id(), PreemptionRule.P11, grounds, now));
      Hold place = hold(attempt.job(), move.to(), List.of(attempt.id()));
      places.add(transitions.holds().hold(attempt.job(), place));
      StopCause cause = new StopCause.Preempted(job.id(), PreemptionRule.P11, grounds);
      transitions.stop(attempt, new StopOrder(cause, StopOutcome.REQUEUE, now));
    }
    LiveHold placed =
        transitions.holds().hold(job, hold(job, plan.place(), BlockingAttempts.of(world, found)));
    placed.searched();
    transitions.emit(new Effect.JobReasonChanged(job.id(), Reasons.waiting(placed)));
    return new TurnOutcome.Consolidated(placed, moved, places);
  }

  private Hold hold(LiveJob job, Assignment place, List<AttemptId> waitsFor) {
    return Hold.forVictims(job.id(), place, waitsFor, PreemptionRule.P11, now);
  }
}
