package io.headgate.scheduler.core;

import io.headgate.scheduler.core.job.Assignment;
import io.headgate.scheduler.core.job.Grounds;
import io.headgate.scheduler.core.job.Hold;
import io.headgate.scheduler.core.job.HoldRelease;
import io.headgate.scheduler.core.job.Preemption;
import io.headgate.scheduler.core.job.PreemptionRule;
import io.headgate.scheduler.core.job.StopCause;
import io.headgate.scheduler.core.job.StopOrder;
import io.headgate.scheduler.core.job.StopOutcome;
import io.headgate.scheduler.core.placement.NodeState;
import io.headgate.scheduler.core.placement.PoolState;
import io.headgate.scheduler.core.preemption.PreemptionSearch.Result;
import io.headgate.scheduler.core.queue.LiveAttempt;
import io.headgate.scheduler.core.queue.LiveHold;
import io.headgate.scheduler.core.queue.LiveJob;
import io.headgate.scheduler.core.queue.QueueState;
import io.headgate.scheduler.core.queue.Route;
import io.headgate.scheduler.core.queue.RouteGroup;
import io.headgate.scheduler.core.queue.Seeker;
import io.headgate.scheduler.core.queue.Turn;
import io.headgate.scheduler.core.queue.TurnOrder;
import io.headgate.scheduler.core.rights.PolicyAccount;
import io.headgate.scheduler.core.rights.TenantAccount;
import io.headgate.type.GpuQuantity;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// One pass over the queues.
///
/// 1. Holds on nodes that no longer take work are given up, and what was suspended for long enough.
/// 2. What can never start is found, if configuration or inventory changed.
/// 3. Jobs start whose held slices have become free, or that now fit elsewhere, where long-blocked
///    jobs do not hold.
/// 4. Queue by queue in their order (O1-O5) the first job starts where it fits first (O6), and what
///    is suspended goes on in its turn ([Suspensions]); a job that fits nowhere makes room (P1-P9),
///    or holds what others leave (O7); as long as a new leader waits for nodes it is promised what
///    these may have ([Promises]). Each start, preemption or hold re-orders the queues that it
///    concerns; until nobody's turn leads to anything. What happens late may concern those who had
///    their turn before; then 3 and 4 are repeated. So a second pass would decide nothing.
/// 5. Elastic pools are asked for what is missing, and give back what idles.
/// 6. Lanes whose reason to wait is another one now say so.
final class Pass {
  private final World world;
  private final Ledger ledger;
  private final RoomSearches searches;
  private final Instant now;
  private final VictimHolds victimHolds;
  private final BlockedHolds blockedHolds;
  private final Promises promises;
  private final Scaling scaling;
  private final Suspensions suspensions;
  private final TurnOrder order = new TurnOrder();
  private @Nullable Instant wakeAt;

  /// Whether those who had their turn may now do what they could not then, or what they did then is
  /// another's now: all take turns again.
  private boolean again;

  Pass(World world, Ledger ledger, RoomSearches searches, Instant now) {
    this.world = world;
    this.ledger = ledger;
    this.searches = searches;
    this.now = now;
    this.victimHolds = new VictimHolds(world, ledger, now);
    this.blockedHolds = new BlockedHolds(world, ledger, now);
    this.promises = new Promises(world, ledger, now);
    this.scaling = new Scaling(world, ledger, now);
    this.suspensions = new Suspensions(world, ledger, now);
  }

  /// Makes the pass; says when something is due although nothing happens.
  Optional<Instant> run() {
    releaseBrokenHolds();
    suspensions.giveUp().ifPresent(this::wakeBy);
    boolean structureChanged = world.changes.structureIsStale();
    if (structureChanged) {
      StructuralCheck.renew(world);
      searches.forget();
      world.changes.forgetHopeless();
      world.changes.structureIsKnown();
    }
    do {
      again = false;
      victimHolds.use();
      takeTurns();
    } while (again || (blockedHolds.end() && victimHolds.areSome()));
    if (!promises.areDue()) {
      blockedHolds.close();
    }
    scaling.plan();
    scaling.wakeAt().ifPresent(this::wakeBy);
    Reasons.tell(world, ledger, structureChanged);
    if (promises.areDue()) {
      // What was in the way of a hold may only have been promised.
      promises.takeBack();
      blockedHolds.keep();
      blockedHolds.close();
    }
    for (NodeState node : world.aside) {
      node.asideUntil().ifPresent(this::wakeBy);
    }
    return Optional.ofNullable(wakeAt);
  }

  private void wakeBy(Instant at) {
    if (wakeAt == null || at.isBefore(wakeAt)) {
      wakeAt = at;
    }
  }

  private void releaseBrokenHolds() {
    for (LiveHold hold : List.copyOf(world.holds.values())) {
      if (hold.isBroken()) {
        ledger.release(hold, HoldRelease.NODE_GONE);
      }
    }
  }

  private void takeTurns() {
    searches.beginRound();
    promises.takeBack();
    blockedHolds.lift();
    suspensions.beginRound();
    order.begin(world.routeGroups.values());
    for (Turn turn = nextTurn(); turn != null; turn = nextTurn()) {
      if (promises.areExhausted()) {
        continue;
      }
      LiveJob head = turn.head();
      Route route = turn.route();
      if (head == null) {
        throw new IllegalStateException("no candidate in " + turn.queue().id());
      }
      if (route != null) {
        start(head, route.pool().place(route.ranking()).orElseThrow(), route.pool());
      } else if (!passesAHold(turn, head) && !isPromised(turn, head) && !makesRoom(turn, head)) {
        if (turn.mayStart() && hold(turn, head)) {
          continue;
        }
        if (turn.mayStart() && turn.queue().group().beginsToBePassedOver()) {
          passOver(turn);
        }
        if (turn.chooseNext()) {
          order.put(turn);
        }
      }
    }
    assert suspensions.areAllKnown() : "devices of a suspended job became idle within a round";
  }

  /// Takes the next turn, once all that is suspended and comes before it goes on.
  private @Nullable Turn nextTurn() {
    Turn turn = order.next();
    for (LiveAttempt first = suspended(turn); first != null; first = suspended(turn)) {
      ledger.resume(first);
      settleGift(first.job().queue(), first.policy(), first.tenant(), first.pool());
      if (turn != null) {
        refresh(turn.queue());
      }
      turn = order.next();
    }
    return turn;
  }

  /// Who goes on before this turn; null: nobody. What a new leader's nodes have not reported yet
  /// may be somebody else's.
  private @Nullable LiveAttempt suspended(@Nullable Turn turn) {
    return world.suspended.isEmpty() || promises.areDue() ? null : suspensions.next(turn);
  }

  /// A job that will start on nodes that a new leader waits for; one that has a hold waits for
  /// that.
  private boolean isPromised(Turn turn, LiveJob job) {
    if (!turn.mayStart() || blockedHolds.isLifted(job)) {
      return false;
    }
    Optional<Assignment> place = promises.find(job);
    place.ifPresent(found -> promise(job, found));
    return place.isPresent();
  }

  private void promise(LiveJob job, Assignment place) {
    settle(job.queue(), promises.make(job, place));
  }

  /// A candidate could do nothing; nor can most of those with the same routes, who are many on a
  /// full cluster: they need not come to the top one by one for that to be found out.
  private void passOver(Turn failed) {
    RouteGroup group = failed.queue().group();
    boolean maySomeHold = blockedHolds.maySomeHold(group);
    order.retain(group, turn -> mayAct(turn, failed, maySomeHold));
  }

  private boolean mayAct(Turn turn, Turn failed, boolean maySomeHold) {
    if (turn.queue().account().preemptsWithin()) {
      return true;
    }
    if (!turn.choose()) {
      return false;
    }
    LiveJob head = turn.head();
    if (head == null || !failsAs(turn, failed) || (turn.isBounded() && blockedHolds.areSome())) {
      return true;
    }
    Instant from = turn.holdsFrom();
    if (from != null && from.isAfter(now)) {
      wakeBy(from);
      return false;
    }
    return from != null && (maySomeHold || blockedHolds.isLifted(head));
  }

  /// What is suspended of its own policy, which others may end, was perhaps none that it could end.
  private boolean failsAs(Turn turn, Turn failed) {
    return !world.candidates.areSuspendedOf(failed.queue().account()) && turn.failsAs(failed);
  }

  /// A job that ends before a holder is expected to start may use what is held (DESIGN O7).
  private boolean passesAHold(Turn turn, LiveJob job) {
    if (!turn.mayStart()) {
      return false;
    }
    Optional<Assignment> place = blockedHolds.passing(job);
    place.ifPresent(found -> start(job, found, world.pool(found.pool())));
    return place.isPresent();
  }

  private boolean makesRoom(Turn turn, LiveJob job) {
    if (promises.areDue() && blockedHolds.isLifted(job)) {
      return false;
    }
    boolean areSomeSuspended = world.candidates.areSuspendedOf(job.queue().account());
    for (Seeker seeker : turn.seekers()) {
      // Capacity that can be asked for comes before other people's (DESIGN P6).
      if (seeker.rule() != PreemptionRule.P9
          && job.queue().group().isElastic()
          && scaling.mayServe(job)) {
        continue;
      }
      if (preempts(job, areSomeSuspended ? seeker.beside(job) : seeker)) {
        return true;
      }
    }
    return false;
  }

  private boolean hold(Turn turn, LiveJob job) {
    Instant from = turn.holdsFrom();
    if (from == null || (promises.areDue() && !blockedHolds.isLifted(job))) {
      return false;
    }
    if (from.isAfter(now)) {
      wakeBy(from);
      return false;
    }
    Optional<Hold> found = blockedHolds.find(job);
    if (found.isEmpty()) {
      return false;
    }
    blockedHolds.place(job, found.get());
    settle(job.queue(), world.pool(found.get().place().pool()));
    return true;
  }

  private void refresh(QueueState queue) {
    if (queue.resolved().isPresent() && !queue.lanes().isEmpty()) {
      order.refresh(queue.turn());
    } else {
      order.remove(queue.turn());
    }
  }

  /// Something of the pool was taken for a job of the queue, so that it has another candidate now.
  ///
  /// @return whether some are ahead of where they were; no, if all take turns again anyway
  private boolean settle(QueueState queue, PoolState pool) {
    boolean matters = !again && blockedHolds.areSome();
    boolean someCameForward =
        order.taken(
            pool,
            world.groupsOf.getOrDefault(pool, List.of()),
            held -> matters && blockedHolds.isPlacedIn(held));
    refresh(queue);
    for (QueueState other : queuesOf(queue.account())) {
      if (other != queue && other.turn().mayComeEarlier()) {
        refresh(other);
      }
    }
    for (QueueState other : queuesOf(world.tenant(pool, queue.account().id().tenant()))) {
      if (other != queue && other.turn().mayComeEarlier()) {
        refresh(other);
      }
    }
    return someCameForward;
  }

  /// As [#settle], after a job got or will get a place: jobs of its policy or tenant may go for
  /// those who looked for room in vain, and who holds may not be the best-ranked any more.
  private void settleGift(
      QueueState queue, PolicyAccount account, TenantAccount tenant, PoolState pool) {
    boolean someCameForward = settle(queue, pool);
    again |=
        account.over(0) > 0
            || tenant.over(0) > 0
            || blockedHolds.someAreOf(account)
            || (!queuesOf(tenant).isEmpty() && blockedHolds.someAreOf(tenant))
            || (someCameForward && blockedHolds.areSome());
  }

  private List<QueueState> queuesOf(PolicyAccount account) {
    return world.queuesOf.getOrDefault(account, List.of());
  }

  /// Those whose order depends on what the tenant has; none where tenants do not share.
  private List<QueueState> queuesOf(TenantAccount tenant) {
    return world.queuesOfTenant.getOrDefault(tenant, List.of());
  }

  private void start(LiveJob job, Assignment place, PoolState pool) {
    blockedHolds.leave(job, HoldRelease.USED);
    LiveAttempt attempt = ledger.start(job, place, now);
    settleGift(job.queue(), attempt.policy(), attempt.tenant(), pool);
  }

  private boolean preempts(LiveJob job, Seeker seeker) {
    switch (searches.search(seeker, blockedHolds.inForce(), now)) {
      case Result.Found found -> {
        if (promises.areDue()) {
          promise(job, found.place());
          return true;
        }
        long before = world.changes.roomVersion();
        preempt(job, seeker.rule(), found);
        searches.keepFailures(seeker, before);
        return true;
      }
      case Result.NotFound notFound -> {
        notFound.retryAt().ifPresent(this::wakeBy);
        return false;
      }
    }
  }

  /// Asks the victims to stop and holds the place for the job, in one decision (DESIGN P5).
  private void preempt(LiveJob job, PreemptionRule rule, Result.Found found) {
    blockedHolds.leave(job, HoldRelease.NOT_NEEDED);
    Set<PolicyAccount> losers = new LinkedHashSet<>();
    Set<TenantAccount> losingTenants = new LinkedHashSet<>();
    TenantAccount winner = world.tenant(found.pool(), job.queue().account().id().tenant());
    Map<LiveAttempt, StopOutcome> outcomes =
        Suspensions.outcomes(found.victims(), found.place().workers());
    for (LiveAttempt victim : found.victims()) {
      Grounds grounds =
          new Grounds(
              victim.policy().share(),
              job.queue().account().share(),
              new GpuQuantity(found.place().units()),
              winner.isBound() && !victim.tenant().tenant().equals(winner.tenant())
                  ? Optional.of(new Grounds.Tenants(victim.tenant().share(), winner.share()))
                  : Optional.empty());
      victim.job().preempted(new Preemption(job.id(), rule, grounds, now));
      StopCause cause = new StopCause.Preempted(job.id(), rule, grounds);
      ledger.stop(victim, new StopOrder(cause, Objects.requireNonNull(outcomes.get(victim)), now));
      losers.add(victim.policy());
      losingTenants.add(victim.tenant());
    }
    // Under P9 it may be only the limit that has no room; then the job fits elsewhere perhaps.
    boolean fitsNowhere = rule != PreemptionRule.P9;
    again |= !found.victims().isEmpty() || !fitsNowhere;
    Hold hold = Hold.forVictims(job.id(), found.place(), Leavers.of(world, found), rule, now);
    LiveHold placed = ledger.hold(job, hold);
    // Only what a long-blocked job holds elsewhere under the pool's ceiling was in its way perhaps;
    // once it holds as well, that no longer is.
    again |= placed.isReady(new LiveHold.Older());
    if (fitsNowhere) {
      placed.looked();
    }
    ledger.tell(new Effect.JobReasonChanged(job.id(), Reasons.waiting(placed)));
    settleGift(job.queue(), placed.policy(), placed.tenant(), found.pool());
    // Their turns may come earlier now.
    losers.forEach(account -> queuesOf(account).forEach(this::refresh));
    losingTenants.forEach(account -> queuesOf(account).forEach(this::refresh));
  }
}
