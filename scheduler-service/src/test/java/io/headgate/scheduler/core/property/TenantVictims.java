package io.headgate.scheduler.core.property;

import io.headgate.scheduler.core.catalog.Policy;
import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.Pool;
import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.catalog.Queue;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.job.Attempt;
import io.headgate.scheduler.core.job.WorkerPlace;
import io.headgate.scheduler.core.node.Node;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/// The victims of an entitled job where tenants share pools (A3, P1-P3), one after the other. Early
/// victims may use up what a policy or tenant has above its reservation without making room, so the
/// order of victims matters.
final class TenantVictims {
  private final Shadow shadow;
  private final TenantRules rules;
  private final Reference order;
  private final Instant now;
  private final List<Attempt> gone = new ArrayList<>();

  TenantVictims(Shadow shadow, TenantRules rules, Instant now) {
    this.shadow = shadow;
    this.rules = rules;
    this.order = new Reference(shadow, now);
    this.now = now;
  }

  /// The first attempt in the order that the predicate accepts.
  ///
  /// @param queue of the entitled job
  /// @param isOpen whether the job may use the pool
  Optional<Attempt> first(Queue queue, Predicate<PoolId> isOpen, Predicate<Attempt> which) {
    List<PoolId> pools = shadow.profile(queue.profile()).orElseThrow().pools();
    List<Attempt> left = new ArrayList<>();
    for (Attempt attempt : shadow.attempts.values()) {
      PoolId pool = attempt.assignment().pool();
      if (pools.contains(pool) && isOpen.test(pool) && isCandidate(attempt)) {
        left.add(attempt);
      }
    }
    while (true) {
      Optional<Attempt> worst =
          left.stream().filter(attempt -> mayGo(attempt, queue)).max(this::compare);
      if (worst.isEmpty() || which.test(worst.get())) {
        return worst;
      }
      left.remove(worst.get());
      gone.add(worst.get());
    }
  }

  private boolean isCandidate(Attempt attempt) {
    Pool pool = shadow.pool(attempt.assignment().pool()).orElse(null);
    return pool != null
        && pool.dedicatedTo().isEmpty()
        && attempt.stop().isEmpty()
        && !shadow.fresh.contains(attempt.id())
        && attempt.preemptible()
        && attempt.assignment().units() > 0
        && attempt.assignment().workers().stream().anyMatch(this::isWhereWorkIsTaken)
        && !isProtected(attempt);
  }

  private boolean isWhereWorkIsTaken(WorkerPlace place) {
    Node node = shadow.nodes.get(place.node());
    return node != null && shadow.takesWork(node);
  }

  private boolean isProtected(Attempt attempt) {
    Instant since = attempt.startedAt().orElse(attempt.assignedAt());
    return shadow
        .policy(attempt.policy())
        .map(policy -> since.plus(policy.minRuntime()).isAfter(now))
        .orElse(false);
  }

  /// After the victims chosen so far.
  private boolean mayGo(Attempt attempt, Queue queue) {
    PoolId pool = attempt.assignment().pool();
    PolicyId loser = attempt.policy();
    TenantId own = queue.policy().tenant();
    if (!rules.isShared(pool) || own.equals(loser.tenant())) {
      return standing(loser) > rules.reservation(loser);
    }
    return standing(loser.tenant(), pool) > rules.reservation(loser.tenant(), pool)
        && !isEntitled(loser, pool);
  }

  private boolean isEntitled(PolicyId policy, PoolId pool) {
    return standing(policy) <= rules.reservation(policy)
        && (!rules.isShared(pool)
            || protectedUsage(policy.tenant(), pool) <= rules.reservation(policy.tenant(), pool));
  }

  private long protectedUsage(TenantId tenant, PoolId pool) {
    long sum = 0;
    for (Policy policy : shadow.catalog.policies()) {
      PolicyId id = policy.id();
      if (id.tenant().equals(tenant)) {
        long left =
            rules.standing(id, pool)
                - units(attempt ->
                    attempt.policy().equals(id) && attempt.assignment().pool().equals(pool));
        sum += Math.min(left, rules.reservation(id));
      }
    }
    return sum;
  }

  private long standing(PolicyId policy) {
    return rules.standing(policy) - units(attempt -> attempt.policy().equals(policy));
  }

  private long standing(TenantId tenant, PoolId pool) {
    return rules.standing(tenant, pool)
        - units(attempt ->
            attempt.policy().tenant().equals(tenant) && attempt.assignment().pool().equals(pool));
  }

  private long units(Predicate<Attempt> whose) {
    return gone.stream().filter(whose).mapToLong(attempt -> attempt.assignment().units()).sum();
  }

  // --- The order; the first victim is the greatest.

  private int compare(Attempt one, Attempt other) {
    return Comparator.<Attempt>comparingInt(this::level)
        .thenComparingInt(this::position)
        .thenComparingDouble(this::shareOfTenant)
        .thenComparingInt(this::rank)
        .thenComparingDouble(this::shareOfPolicy)
        .thenComparingInt(attempt -> -shadow.jobs.get(attempt.id().job()).spec().priority())
        .thenComparingLong(Attempt::sequence)
        .compare(one, other);
  }

  /// 0: entitled, 2: above a limit, 1: neither.
  private int level(Attempt attempt) {
    PolicyId policy = attempt.policy();
    PoolId pool = attempt.assignment().pool();
    if (isEntitled(policy, pool)) {
      return 0;
    }
    long limit = shadow.policy(policy).map(known -> known.limit().units()).orElse(0L);
    boolean isAboveTenants =
        rules.isShared(pool)
            && standing(policy.tenant(), pool) > rules.limit(policy.tenant(), pool);
    return standing(policy) > limit || isAboveTenants ? 2 : 1;
  }

  private int position(Attempt attempt) {
    Pool pool = shadow.pool(attempt.assignment().pool()).orElseThrow();
    return order.turns.position(pool, attempt.profile());
  }

  private int rank(Attempt attempt) {
    return shadow
        .queue(shadow.jobs.get(attempt.id().job()).spec().queue())
        .map(Queue::rank)
        .orElse(Integer.MAX_VALUE);
  }

  private double shareOfTenant(Attempt attempt) {
    PoolId pool = attempt.assignment().pool();
    TenantId tenant = attempt.policy().tenant();
    return rules.isShared(pool)
        ? share(
            attempt,
            standing(tenant, pool),
            rules.reservation(tenant, pool),
            rules.weight(tenant, pool))
        : 0;
  }

  private double shareOfPolicy(Attempt attempt) {
    PolicyId policy = attempt.policy();
    int weight = shadow.policy(policy).map(Policy::weight).orElse(1);
    return share(attempt, standing(policy), rules.reservation(policy), weight);
  }

  private double share(Attempt attempt, double usage, double reservation, int weight) {
    if (level(attempt) > 0) {
      return Math.max(0, usage - reservation) / weight;
    }
    return reservation == 0 ? 0 : usage / reservation;
  }
}
