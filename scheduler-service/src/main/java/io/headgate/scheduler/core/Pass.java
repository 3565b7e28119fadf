package io.headgate.scheduler.core;

import io.headgate.scheduler.core.catalog.Reclaim;
import io.headgate.scheduler.core.job.Assignment;
import io.headgate.scheduler.core.job.AttemptId;
import io.headgate.scheduler.core.job.Hold;
import io.headgate.scheduler.core.job.HoldRelease;
import io.headgate.scheduler.core.job.Preemption;
import io.headgate.scheduler.core.job.PreemptionRule;
import io.headgate.scheduler.core.job.StopCause;
import io.headgate.scheduler.core.job.StopOrder;
import io.headgate.scheduler.core.job.StopOutcome;
import io.headgate.scheduler.core.job.WorkerPlace;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.core.placement.NodeState;
import io.headgate.scheduler.core.placement.PoolState;
import io.headgate.scheduler.core.placement.Ranking;
import io.headgate.scheduler.core.placement.Stake;
import io.headgate.scheduler.core.preemption.PreemptionSearch;
import io.headgate.scheduler.core.preemption.PreemptionSearch.Result;
import io.headgate.scheduler.core.queue.Lane;
import io.headgate.scheduler.core.queue.LiveAttempt;
import io.headgate.scheduler.core.queue.LiveHold;
import io.headgate.scheduler.core.queue.LiveJob;
import io.headgate.scheduler.core.queue.QueueState;
import io.headgate.scheduler.core.queue.Route;
import io.headgate.scheduler.core.queue.Turn;
import io.headgate.scheduler.core.queue.TurnOrder;
import io.headgate.scheduler.core.rights.PolicyAccount;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// One pass over the queues.
///
/// 1. Holds on nodes that no longer take work are given up.
/// 2. What can never start is found, if configuration or inventory changed.
/// 3. Jobs start whose held slices have become free, or that now fit elsewhere.
/// 4. Queue by queue in their order (O1-O5) the first job starts where it fits first (O6); an
///    entitled one that fits nowhere preempts (P1-P5). Each start or preemption re-orders the
///    queues that it concerns; until nobody's turn leads to anything.
/// 5. Lanes whose reason to wait is another one now say so.
final class Pass {
  /// Searches with the same key have the same outcome: a preemptor's own policy is never above its
  /// reservation, so it makes no difference who asks.
  record SearchKey(List<Route> routes, Reclaim reclaim) {}

  /// A search that found nothing; it need not be repeated until something changes.
  ///
  /// @param changes the world's count of changes then
  record Failure(long changes, Optional<Instant> retryAt) {}

  private final World world;
  private final Ledger ledger;
  private final Map<SearchKey, Failure> failures;
  private final Instant now;
  private final TurnOrder order = new TurnOrder();
  private @Nullable Instant wakeAt;

  /// Whether an entitled job that looked for room in vain may find some now: a start left its
  /// policy above its reservation, so that jobs of it may go; or a victim leaves more behind than
  /// its preemptor takes.
  private boolean roomMayAppear;

  Pass(World world, Ledger ledger, Map<SearchKey, Failure> failures, Instant now) {
    this.world = world;
    this.ledger = ledger;
    this.failures = failures;
    this.now = now;
  }

  /// Makes the pass; says when something is due although nothing happens.
  Optional<Instant> run() {
    releaseBrokenHolds();
    boolean structureChanged = world.structureChanged;
    if (structureChanged) {
      StructuralCheck.renew(world);
      failures.clear();
      world.structureChanged = false;
    }
    useHolds();
    takeTurns();
    for (QueueState queue : world.queues.values()) {
      for (Lane lane : queue.lanes()) {
        Reasons.tell(queue, lane, ledger, structureChanged);
      }
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

  private void useHolds() {
    LiveHold.Older older = new LiveHold.Older();
    for (LiveHold hold : List.copyOf(world.holds.values())) {
      if (hold.isReady(older)) {
        ledger.release(hold, HoldRelease.USED);
        ledger.start(hold.job(), hold.hold().place(), now);
      } else if (!hold.isWorthAnotherLook() || !startsElsewhere(hold)) {
        older.add(hold);
      }
    }
  }

  /// A job that slices are held for had its turn already, so it takes the first place that has
  /// become free. It is looked for without the hold, which may lie in the way of the job itself.
  private boolean startsElsewhere(LiveHold hold) {
    ledger.lift(hold);
    Assignment found = null;
    for (Route route : hold.job().queue().routes()) {
      if (found == null) {
        found = route.pool().place(route.ranking()).orElse(null);
      }
    }
    ledger.place(hold);
    if (found == null) {
      hold.looked();
      return false;
    }
    ledger.release(hold, HoldRelease.NOT_NEEDED);
    ledger.start(hold.job(), found, now);
    return true;
  }

  private void takeTurns() {
    for (PoolState pool : world.pools.values()) {
      pool.rankings().forEach(Ranking::note);
    }
    do {
      roomMayAppear = false;
      for (QueueState queue : world.queues.values()) {
        refresh(queue);
      }
      takeTurnsInOrder();
    } while (roomMayAppear);
  }

  private void takeTurnsInOrder() {
    for (Turn turn = order.next(); turn != null; turn = order.next()) {
      LiveJob head = turn.head();
      Route route = turn.route();
      if (head == null) {
        throw new IllegalStateException("no candidate in " + turn.queue().id());
      }
      if (route != null) {
        start(head, route);
      } else {
        preempt(head);
      }
    }
  }

  /// Finds the queue's candidate anew.
  private void refresh(QueueState queue) {
    Turn turn = queue.turn();
    order.remove(turn);
    if (queue.resolved().isPresent() && !queue.lanes().isEmpty() && turn.choose()) {
      order.put(turn);
    }
  }

  /// Takes the queues out whose order changes when these policies' usage does. It must be done
  /// before the usage changes: the heap compares by usage.
  private Set<QueueState> takeOut(Set<PolicyAccount> accounts) {
    Set<QueueState> queues = new LinkedHashSet<>();
    for (PolicyAccount account : accounts) {
      for (QueueState queue : world.queuesOf.getOrDefault(account, List.of())) {
        order.remove(queue.turn());
        queues.add(queue);
      }
    }
    return queues;
  }

  /// Puts the queues back in their new places, and those that no longer find room in the pool.
  private void putBack(Set<QueueState> queues, PoolState pool) {
    for (Ranking ranking : pool.rankings()) {
      if (ranking.hasFilled()) {
        queues.addAll(world.rankingUsers.getOrDefault(ranking, List.of()));
      }
    }
    queues.forEach(this::refresh);
  }

  private void start(LiveJob job, Route route) {
    Assignment place = route.pool().place(route.ranking()).orElseThrow();
    Set<QueueState> queues = takeOut(Set.of(job.queue().account()));
    ledger.start(job, place, now);
    roomMayAppear |= job.queue().account().over(0) > 0;
    putBack(queues, route.pool());
  }

  private void preempt(LiveJob job) {
    QueueState queue = job.queue();
    SearchKey key = new SearchKey(queue.routes(), queue.reclaim());
    Failure failure = failures.get(key);
    if (failure == null
        || failure.changes() != world.changes
        || failure.retryAt().map(at -> !at.isAfter(now)).orElse(false)) {
      Result result =
          PreemptionSearch.search(world.candidates, queue.routes(), queue.reclaim(), now);
      switch (result) {
        case Result.Found found -> {
          preempt(job, found);
          return;
        }
        case Result.NotFound notFound -> failure = new Failure(world.changes, notFound.retryAt());
      }
      failures.put(key, failure);
    }
    failure.retryAt().ifPresent(this::wakeBy);
  }

  /// Asks the victims to stop and holds the place for the job, in one decision (DESIGN P5).
  private void preempt(LiveJob job, Result.Found found) {
    Set<PolicyAccount> accounts = new LinkedHashSet<>();
    accounts.add(job.queue().account());
    found.victims().forEach(victim -> accounts.add(victim.policy()));
    Set<QueueState> queues = takeOut(accounts);
    PreemptionRule rule = PreemptionRule.P1;
    for (LiveAttempt victim : found.victims()) {
      StopOutcome outcome =
          switch (victim.policy().onPreempt()) {
            case REQUEUE -> StopOutcome.REQUEUE;
            case CANCEL -> StopOutcome.CANCEL;
          };
      victim.job().preempted(new Preemption(job.id(), rule, now));
      ledger.stop(victim, new StopOrder(new StopCause.Preempted(job.id(), rule), outcome, now));
    }
    roomMayAppear |= !found.victims().isEmpty();
    Hold hold = new Hold(job.id(), found.place(), leaving(found), rule, now);
    ledger.hold(job, hold);
    LiveHold placed = world.holds.get(job.id());
    if (placed != null) {
      placed.looked();
      ledger.tell(new Effect.JobReasonChanged(job.id(), Reasons.waiting(placed)));
    }
    putBack(queues, found.pool());
  }

  /// The attempts that have to leave the place: the victims, or those that were stopping on its
  /// nodes anyway.
  private List<AttemptId> leaving(Result.Found found) {
    Set<LiveAttempt> leaving = new TreeSet<>(Comparator.comparingLong(LiveAttempt::sequence));
    leaving.addAll(found.victims());
    if (leaving.isEmpty()) {
      for (WorkerPlace place : found.place().workers()) {
        addStopping(leaving, place.node());
      }
    }
    List<AttemptId> ids = new ArrayList<>();
    leaving.forEach(attempt -> ids.add(attempt.id()));
    return ids;
  }

  private void addStopping(Set<LiveAttempt> attempts, NodeId id) {
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
