package io.headgate.scheduler.core;

import io.headgate.scheduler.core.job.Hold;
import io.headgate.scheduler.core.job.Preemption;
import io.headgate.scheduler.core.job.PreemptionGrounds;
import io.headgate.scheduler.core.job.PreemptionRule;
import io.headgate.scheduler.core.job.StopCause;
import io.headgate.scheduler.core.job.StopOrder;
import io.headgate.scheduler.core.job.StopOutcome;
import io.headgate.scheduler.core.job.Weighing;
import io.headgate.scheduler.core.preemption.PreemptionSearch.Result;
import io.headgate.scheduler.core.queue.LiveAttempt;
import io.headgate.scheduler.core.queue.LiveHold;
import io.headgate.scheduler.core.queue.LiveJob;
import io.headgate.scheduler.core.queue.RoomRequest;
import io.headgate.scheduler.core.rights.Levels;
import io.headgate.scheduler.core.rights.TenantAccount;
import io.headgate.type.GpuQuantity;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/// Carries out a preemption: asks the victims to stop and holds their place for the job, in one
/// decision (P5).
final class Preemptor {
  private final World world;
  private final Transitions transitions;
  private final Instant now;

  Preemptor(World world, Transitions transitions, Instant now) {
    this.world = world;
    this.transitions = transitions;
    this.now = now;
  }

  /// @param mayStart whether no limit is in the way as things stand, so that it fits nowhere
  TurnOutcome.MadeRoom preempt(
      LiveJob job, RoomRequest request, Result.Found found, boolean mayStart) {
    PreemptionRule rule = rule(job, request, found, mayStart);
    // Perhaps only a right had no room: a limit, or the tenant's reservation in some pool (A5).
    // Then
    // the job may fit elsewhere once its victims do not count.
    boolean fitsNowhere = mayStart && !job.queue().isRestricted(job);
    stopVictims(job, request, found);
    Hold hold =
        Hold.forVictims(job.id(), found.place(), BlockingAttempts.of(world, found), rule, now);
    LiveHold placed = transitions.holds().hold(job, hold);
    // A hold that is ready at once was blocked only by a blocked job's hold elsewhere under the
    // pool's ceiling. Once the job itself holds, that hold is no obstacle.
    boolean repeats =
        !found.victims().isEmpty() || !fitsNowhere || placed.isReady(new LiveHold.Older());
    if (fitsNowhere) {
      placed.searched();
    }
    transitions.emit(new Effect.JobReasonChanged(job.id(), Reasons.waiting(placed)));
    return new TurnOutcome.MadeRoom(placed, found.victims(), repeats);
  }

  /// The rule of a hold is the one over other policies, if it took anything from them.
  private PreemptionRule rule(
      LiveJob job, RoomRequest request, Result.Found found, boolean mayStart) {
    if (!found.victims().isEmpty()) {
      return found.victims().stream().allMatch(request::isOwn) ? PreemptionRule.P9 : request.rule();
    }
    TenantAccount tenant = world.tenant(found.pool(), job.queue().account().id().tenant());
    boolean isEntitled =
        mayStart && new Levels(job.queue().account(), tenant).isEntitled(request.need());
    return request.rule() == PreemptionRule.P1 && request.within() && !isEntitled
        ? PreemptionRule.P9
        : request.rule();
  }

  private void stopVictims(LiveJob job, RoomRequest request, Result.Found found) {
    TenantAccount winner = world.tenant(found.pool(), job.queue().account().id().tenant());
    Map<LiveAttempt, StopOutcome> outcomes =
        Suspensions.outcomes(found.victims(), found.place().workers());
    for (LiveAttempt victim : found.victims()) {
      PreemptionRule rule = request.ruleOf(victim);
      PreemptionGrounds grounds =
          grounds(job, victim, winner, found).weighed(weighing(victim, found));
      world.bars.bar(victim.job().id(), rule, victim.pool());
      victim.job().preempted(new Preemption(job.id(), rule, grounds, now));
      StopCause cause = new StopCause.Preempted(job.id(), rule, grounds);
      transitions.stop(
          victim, new StopOrder(cause, Objects.requireNonNull(outcomes.get(victim)), now));
    }
  }

  /// The shares that allow this removal, just before it.
  static PreemptionGrounds grounds(
      LiveJob job, LiveAttempt victim, TenantAccount winner, Result.Found found) {
    boolean betweenTenants = winner.isBound() && !victim.tenant().tenant().equals(winner.tenant());
    return new PreemptionGrounds(
        victim.policy().share(),
        job.queue().account().share(),
        new GpuQuantity(found.place().units()),
        betweenTenants
            ? Optional.of(new PreemptionGrounds.Tenants(victim.tenant().share(), winner.share()))
            : Optional.empty(),
        Optional.empty(),
        Optional.empty());
  }

  private Weighing weighing(LiveAttempt victim, Result.Found found) {
    return new Weighing(
        found.search().way(),
        found.search().considered(),
        found.victims().size(),
        new GpuQuantity(victim.takenUnits()),
        gpuTime(victim.lostWork(now)),
        found.search().smallerThan(victim));
  }

  /// As time of one GPU.
  ///
  /// @param unitMillis units × milliseconds
  static Duration gpuTime(double unitMillis) {
    return Duration.ofMillis((long) (unitMillis / GpuQuantity.UNITS_PER_GPU));
  }
}
