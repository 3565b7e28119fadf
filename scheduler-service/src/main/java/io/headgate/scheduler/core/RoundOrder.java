package io.headgate.scheduler.core;

import io.headgate.scheduler.core.placement.PoolState;
import io.headgate.scheduler.core.queue.LiveAttempt;
import io.headgate.scheduler.core.queue.LiveHold;
import io.headgate.scheduler.core.queue.LiveJob;
import io.headgate.scheduler.core.queue.QueueState;
import io.headgate.scheduler.core.queue.RouteGroup;
import io.headgate.scheduler.core.queue.Turn;
import io.headgate.scheduler.core.queue.TurnOrder;
import io.headgate.scheduler.core.rights.DepartmentAccount;
import io.headgate.scheduler.core.rights.Levels;
import io.headgate.scheduler.core.rights.PolicyAccount;
import io.headgate.scheduler.core.rights.TenantAccount;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// The order of turns in a round. Each outcome puts the queues that it concerns in their new
/// places, and may require that the round is repeated.
///
/// | outcome | new places | the round is repeated |
/// |---|---|---|
/// | started, made room | all that use the pool, the policy, its departments and the tenant | if jobs of these may be victims now, or hold capacity, or a queue came forward while others hold |
/// | made room | also those of the victims' policies, departments and tenants | also if victims were asked to stop, or the job fitted somewhere (P9) |
/// | promised | all that use the pool, the policy, its departments and the tenant | no |
/// | held | also those that wait for their turn in the pool | no |
/// | later | its own, in its place in the pool where it found room | no |
/// | nothing | none | no |
final class RoundOrder {
  private final World world;
  private final BlockedHolds blockedHolds;
  private final TurnOrder order = new TurnOrder();

  /// Turns that are to come after others of their policies, whatever the order says.
  private final Set<Turn> parked = new LinkedHashSet<>();

  /// The policies that had such turns in this round.
  private final Set<PolicyAccount> delayed = new LinkedHashSet<>();

  /// The turns that were put off, by the pool in which they come later.
  private final Map<PoolState, Set<Turn>> waiting = new HashMap<>();

  /// Set when a later action may change the outcome of an earlier turn; the round is then repeated.
  private boolean repeats;

  /// Finds the candidates of all queues.
  RoundOrder(World world, BlockedHolds blockedHolds) {
    this.world = world;
    this.blockedHolds = blockedHolds;
    for (RouteGroup group : world.routeGroups.values()) {
      order.add(group, world.queuesOfGroup.getOrDefault(group, List.of()));
    }
  }

  /// Whether a later action may have changed the outcome of an earlier turn.
  boolean mustRepeat() {
    return repeats;
  }

  /// Takes out the next turn; null: there is none. In a policy whose jobs preempt each other, a job
  /// has no turn before those of higher priority have had theirs (P9). Otherwise it could start
  /// only to be stopped by one of them.
  @Nullable Turn next() {
    while (true) {
      Turn turn = order.next();
      if (turn == null) {
        if (parked.isEmpty()) {
          return null;
        }
        unpark();
      } else if (mustLetOthersGoFirst(turn)) {
        parked.add(turn);
        delayed.add(turn.queue().account());
      } else {
        // Its outcome decides on the turns that waited for it.
        unpark(turn.queue().account());
        return turn;
      }
    }
  }

  private boolean mustLetOthersGoFirst(Turn turn) {
    PolicyAccount account = turn.queue().account();
    LiveJob head = turn.head();
    if (!account.preemptsWithin() || head == null) {
      return false;
    }
    for (QueueState queue : queuesOf(account)) {
      LiveJob other = queue.turn().head();
      if (queue.turn().isToCome() && other != null && other.priority() > head.priority()) {
        return true;
      }
    }
    return false;
  }

  private void unpark(PolicyAccount account) {
    if (account.preemptsWithin()) {
      for (Turn turn : List.copyOf(parked)) {
        if (turn.queue().account() == account) {
          parked.remove(turn);
          order.put(turn);
        }
      }
    }
  }

  private void unpark() {
    parked.forEach(order::put);
    parked.clear();
  }

  /// Takes the candidate in.
  void put(Turn turn) {
    order.put(turn);
  }

  /// Keeps only those candidates of the group that meet the condition.
  void retain(RouteGroup group, Predicate<Turn> condition) {
    order.retain(group, condition);
  }

  /// Finds the queue's candidate anew and puts it in its place.
  void refresh(QueueState queue) {
    parked.remove(queue.turn());
    if (queue.resolved().isPresent() && !queue.lanes().isEmpty()) {
      order.refresh(queue.turn());
    } else {
      order.remove(queue.turn());
    }
  }

  /// Puts the queues that the outcome concerns in their new places.
  void settle(TurnOutcome outcome) {
    switch (outcome) {
      case TurnOutcome.Started(LiveAttempt attempt) ->
          settleUse(attempt.job().queue(), attempt.levels(), attempt.pool());
      case TurnOutcome.MadeRoom made -> {
        repeats |= made.repeats();
        LiveHold hold = made.hold();
        settleUse(hold.job().queue(), hold.levels(), hold.pool());
        refreshLosers(made.victims());
      }
      case TurnOutcome.Consolidated(
              LiveHold hold,
              List<LiveAttempt> moved,
              List<LiveHold> places) -> {
        repeats = true;
        places.forEach(place -> settleTaken(place.job().queue(), place.pool()));
        settleUse(hold.job().queue(), hold.levels(), hold.pool());
        refreshLosers(moved);
      }
      case TurnOutcome.Promised(LiveHold place) -> settleTaken(place.job().queue(), place.pool());
      case TurnOutcome.Held(LiveHold hold) -> {
        settleTaken(hold.job().queue(), hold.pool());
        refreshWaitingFor(hold.pool());
      }
      case TurnOutcome.Later(Turn turn, PoolState pool) -> {
        order.put(turn);
        waiting.computeIfAbsent(pool, key -> new LinkedHashSet<>()).add(turn);
      }
      case TurnOutcome.Nothing() -> {}
    }
  }

  /// Candidates that found room in a pool where their turn comes later may hold in another pool
  /// once one holds there. So they have the best of their places again.
  private void refreshWaitingFor(PoolState held) {
    for (Turn turn : waiting.getOrDefault(held, Set.of())) {
      if (turn.isToCome()) {
        refresh(turn.queue());
      }
    }
    waiting.remove(held);
  }

  /// Jobs of these queues may start now that could not when their turn came.
  void free(List<QueueState> queues) {
    queues.forEach(this::refresh);
    repeats |= !queues.isEmpty();
  }

  /// A job got or will get a place. Jobs of its levels may be victims now, for candidates that
  /// looked for room in vain; and the job that holds may not be the best-ranked any more.
  private void settleUse(QueueState queue, Levels levels, PoolState pool) {
    boolean someCameForward = settleTaken(queue, pool);
    PolicyAccount policy = levels.policy();
    TenantAccount tenant = levels.tenant();
    repeats |=
        levels.isSomeAboveReservation()
            || delayed.contains(policy)
            || blockedHolds.someAreOf(policy)
            || highest(policy).filter(blockedHolds::someAreBelow).isPresent()
            || (!queuesOf(tenant).isEmpty() && blockedHolds.someAreOf(tenant))
            || (someCameForward && blockedHolds.areSome());
  }

  /// A job of the queue took something of the pool, so the queue has another candidate now.
  ///
  /// @return whether a queue came forward; false if the round is repeated anyway
  private boolean settleTaken(QueueState queue, PoolState pool) {
    boolean matters = !repeats && blockedHolds.areSome();
    boolean someCameForward =
        order.taken(
            pool,
            world.groupsOf.getOrDefault(pool, List.of()),
            held -> matters && blockedHolds.isPlacedIn(held));
    refresh(queue);
    refreshOthers(queue, queuesOf(queue.account()));
    refreshOthers(queue, queuesOf(world.tenant(pool, queue.account().id().tenant())));
    highest(queue.account()).ifPresent(department -> refreshOthers(queue, queuesOf(department)));
    return someCameForward;
  }

  private void refreshOthers(QueueState queue, List<QueueState> queues) {
    for (QueueState other : queues) {
      if (other != queue && other.turn().mayComeEarlier()) {
        refresh(other);
      }
    }
  }

  /// The turns of queues that lost attempts may come earlier now.
  private void refreshLosers(List<LiveAttempt> victims) {
    Set<PolicyAccount> policies = new LinkedHashSet<>();
    Set<TenantAccount> tenants = new LinkedHashSet<>();
    Set<DepartmentAccount> departments = new LinkedHashSet<>();
    for (LiveAttempt victim : victims) {
      policies.add(victim.policy());
      highest(victim.policy()).ifPresent(departments::add);
      tenants.add(victim.tenant());
    }
    policies.forEach(policy -> queuesOf(policy).forEach(this::refresh));
    tenants.forEach(tenant -> queuesOf(tenant).forEach(this::refresh));
    departments.forEach(department -> queuesOf(department).forEach(this::refresh));
  }

  private List<QueueState> queuesOf(DepartmentAccount department) {
    return world.queuesOfDepartment.getOrDefault(department, List.of());
  }

  /// The highest department above a policy.
  private static Optional<DepartmentAccount> highest(PolicyAccount policy) {
    Optional<DepartmentAccount> highest = policy.department();
    while (highest.flatMap(DepartmentAccount::parent).isPresent()) {
      highest = highest.flatMap(DepartmentAccount::parent);
    }
    return highest;
  }

  private List<QueueState> queuesOf(PolicyAccount policy) {
    return world.queuesOf.getOrDefault(policy, List.of());
  }

  /// The queues whose order depends on the tenant's usage; none where tenants do not share.
  private List<QueueState> queuesOf(TenantAccount tenant) {
    return world.queuesOfTenant.getOrDefault(tenant, List.of());
  }
}
