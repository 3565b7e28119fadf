package io.headgate.scheduler.core.property;

import io.headgate.scheduler.core.catalog.Policy;
import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.catalog.TenantShare;
import io.headgate.scheduler.core.job.Assignment;
import io.headgate.scheduler.core.job.Attempt;
import io.headgate.scheduler.core.job.Hold;
import io.headgate.scheduler.core.job.JobId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/// Use and reservations of tenants and policies (A3), counted anew each time from a shell's
/// records; slow, and independent of the core's accounts. In units of 1/126000 GPU.
final class TenantRules {
  private final Shadow shadow;

  TenantRules(Shadow shadow) {
    this.shadow = shadow;
  }

  boolean isShared(PoolId pool) {
    return shadow.catalog.shares().stream().anyMatch(share -> share.pool().equals(pool));
  }

  private Optional<TenantShare> share(TenantId tenant, PoolId pool) {
    return shadow.catalog.shares().stream()
        .filter(share -> share.pool().equals(pool) && share.tenant().equals(tenant))
        .findAny();
  }

  long reservation(TenantId tenant, PoolId pool) {
    return share(tenant, pool).map(share -> share.reservation().orElseThrow().units()).orElse(0L);
  }

  long limit(TenantId tenant, PoolId pool) {
    return share(tenant, pool)
        .flatMap(TenantShare::limit)
        .map(limit -> limit.units())
        .orElse(Long.MAX_VALUE);
  }

  int weight(TenantId tenant, PoolId pool) {
    return share(tenant, pool).map(TenantShare::weight).orElse(1);
  }

  long reservation(PolicyId policy) {
    return shadow.policy(policy).map(found -> found.reservation().units()).orElse(0L);
  }

  PolicyId policyOf(JobId job) {
    return shadow.queue(shadow.jobs.get(job).spec().queue()).orElseThrow().policy();
  }

  /// Units of the tenant's attempts there, stopping ones included.
  long used(TenantId tenant, PoolId pool) {
    return attempts(in(tenant, pool), attempt -> true);
  }

  /// The tenant's units there once all decisions are carried out.
  long standing(TenantId tenant, PoolId pool) {
    return attempts(in(tenant, pool), attempt -> attempt.stop().isEmpty())
        + holds(tenant, pool, hold -> !hold.isForBlocked());
  }

  /// The part of [#standing(TenantId, PoolId)] that the reservations of its policies protect.
  long protectedUsage(TenantId tenant, PoolId pool) {
    long sum = 0;
    for (Policy policy : shadow.catalog.policies()) {
      boolean isOwn = policy.id().tenant().equals(tenant);
      sum += isOwn ? Math.min(standing(policy.id(), pool), reservation(policy.id())) : 0;
    }
    return sum;
  }

  /// The policy's units in the pool once all decisions are carried out.
  long standing(PolicyId policy, PoolId pool) {
    long held = 0;
    for (Hold hold : shadow.holds.values()) {
      boolean counts =
          !hold.isForBlocked()
              && hold.place().pool().equals(pool)
              && policyOf(hold.job()).equals(policy);
      held += counts ? hold.place().units() : 0;
    }
    return held
        + attempts(
            attempt -> attempt.policy().equals(policy) && attempt.assignment().pool().equals(pool),
            attempt -> attempt.stop().isEmpty());
  }

  /// Whether the policy and its tenant would be within their reservations with the job.
  boolean isEntitled(PolicyId policy, PoolId pool, long need) {
    return standing(policy) + need <= reservation(policy)
        && (!isShared(pool)
            || protectedUsage(policy.tenant(), pool) + need <= reservation(policy.tenant(), pool));
  }

  /// The tenant's greatest use there, now or after all holding jobs have started.
  long charged(TenantId tenant, PoolId pool) {
    long live = attempts(in(tenant, pool), attempt -> attempt.stop().isEmpty());
    long stopping = attempts(in(tenant, pool), attempt -> attempt.stop().isPresent());
    return live + Math.max(stopping, holds(tenant, pool, hold -> true));
  }

  /// As [#charged], without what the job holds for itself under O7.
  long chargedBeside(JobId job, TenantId tenant, PoolId pool) {
    long live = attempts(in(tenant, pool), attempt -> attempt.stop().isEmpty());
    long stopping = attempts(in(tenant, pool), attempt -> attempt.stop().isPresent());
    long held = holds(tenant, pool, hold -> !hold.isForBlocked() || !hold.job().equals(job));
    return live + Math.max(stopping, held);
  }

  long nonPreemptible(TenantId tenant, PoolId pool) {
    return attempts(in(tenant, pool), attempt -> !attempt.preemptible());
  }

  long standing(PolicyId policy) {
    long held = 0;
    for (Hold hold : holds()) {
      held +=
          !hold.isForBlocked() && policyOf(hold.job()).equals(policy) ? hold.place().units() : 0;
    }
    return held
        + attempts(attempt -> attempt.policy().equals(policy), attempt -> attempt.stop().isEmpty());
  }

  private static Predicate<Attempt> in(TenantId tenant, PoolId pool) {
    return attempt ->
        attempt.policy().tenant().equals(tenant) && attempt.assignment().pool().equals(pool);
  }

  private long attempts(Predicate<Attempt> whose, Predicate<Attempt> which) {
    return shadow.attempts.values().stream()
        .filter(whose.and(which))
        .map(Attempt::assignment)
        .mapToLong(Assignment::units)
        .sum();
  }

  private long holds(TenantId tenant, PoolId pool, Predicate<Hold> which) {
    return holds().stream()
        .filter(hold -> hold.place().pool().equals(pool))
        .filter(hold -> policyOf(hold.job()).tenant().equals(tenant))
        .filter(which)
        .mapToLong(hold -> hold.place().units())
        .sum();
  }

  /// With the places kept for jobs whose attempts stop because a worker was lost.
  private List<Hold> holds() {
    List<Hold> holds = new ArrayList<>(shadow.holds.values());
    holds.addAll(shadow.returning.values());
    return holds;
  }
}
