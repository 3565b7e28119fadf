package io.headgate.scheduler.core.property;

import static io.headgate.scheduler.core.property.Violation.require;

import io.headgate.scheduler.core.Decision;
import io.headgate.scheduler.core.Effect;
import io.headgate.scheduler.core.Input;
import io.headgate.scheduler.core.SchedulerCore;
import io.headgate.scheduler.core.catalog.Policy;
import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.Pool;
import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.catalog.Profile;
import io.headgate.scheduler.core.catalog.Queue;
import io.headgate.scheduler.core.catalog.Reclaim;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.explain.Reason;
import io.headgate.scheduler.core.job.Attempt;
import io.headgate.scheduler.core.job.HeadroomHold;
import io.headgate.scheduler.core.job.HeadroomScope;
import io.headgate.scheduler.core.job.Hold;
import io.headgate.scheduler.core.job.Job;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.core.job.PreemptionRule;
import io.headgate.scheduler.core.job.StopCause;
import io.headgate.scheduler.core.job.WorkerPlace;
import io.headgate.scheduler.core.node.Node;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Holds decisions against what is promised to tenants that share pools (A3).
final class TenantChecker {
  final Shadow shadow;
  private final TenantRules rules;

  /// The pool of each preemption under P1 whose hold is not yet reported.
  private final Map<JobId, PoolId> entitled = new HashMap<>();

  /// The jobs whose holds ended in this decision. Their rights were checked when they got them.
  private final Set<JobId> released = new HashSet<>();

  int victimsOfOtherTenants;
  int waitsForTenantLimit;
  int holdsTenantHeadroom;

  TenantChecker(Shadow shadow) {
    this.shadow = shadow;
    this.rules = new TenantRules(shadow);
  }

  void check(Iterable<Input> inputs, Decision decision, SchedulerCore core, Instant now) {
    for (Input input : inputs) {
      shadow.apply(input);
    }
    shadow.setAside(core.state());
    entitled.clear();
    released.clear();
    int index = 0;
    for (Effect effect : decision.effects()) {
      applyReturning(decision, index++);
      if (effect instanceof Effect.StopAttempt(var id, var order)
          && order.cause() instanceof StopCause.Preempted cause) {
        beforeVictim(shadow.attempts.get(id), cause);
      }
      if (effect instanceof Effect.HoldPlaced(var hold) && entitled.containsKey(hold.job())) {
        beforeHold(hold);
      }
      if (effect instanceof Effect.HoldReleased(var job, var _)) {
        released.add(job);
      }
      if (effect instanceof Effect.HeadroomHoldChanged(var _, var headroom)
          && headroom.stream()
              .flatMap(hold -> hold.scopes().stream())
              .anyMatch(scope -> scope.pool().isPresent())) {
        holdsTenantHeadroom++;
      }
      shadow.apply(effect);
      if (effect instanceof Effect.StartAttempt(var attempt)) {
        afterStart(attempt);
        afterStartBesideHeadroom(attempt, now);
      }
    }
    applyReturning(decision, index);
    for (Hold hold : shadow.holds.values()) {
      if (hold.place().units() > 0 && hold.isForBlocked()) {
        requireWithinLimit(rules.policyOf(hold.job()).tenant(), hold.place().pool(), hold);
      }
    }
    Reference space = new Reference(shadow, now);
    for (Node node : shadow.nodes.values()) {
      require(!space.space.isOvercommitted(node), "never two jobs on one slice", node);
    }
    checkWaiting(core, now);
  }

  /// Applies the changes of kept places that came before the effect with this index.
  private void applyReturning(Decision decision, int index) {
    for (Decision.HoldChange change : decision.holdChanges()) {
      if (change.at() == index) {
        shadow.applyReturning(change);
      }
    }
  }

  private void afterStart(Attempt attempt) {
    TenantId tenant = attempt.policy().tenant();
    PoolId pool = attempt.assignment().pool();
    if (attempt.assignment().units() == 0) {
      return;
    }
    require(
        rules.used(tenant, pool) <= rules.limit(tenant, pool),
        "no start above the tenant's limit",
        attempt,
        rules.used(tenant, pool));
    require(
        attempt.preemptible()
            || !rules.isShared(pool)
            || rules.nonPreemptible(tenant, pool) <= rules.reservation(tenant, pool),
        "non-preemptible jobs stay within the tenant's reservation",
        attempt);
    boolean isOpenToAll =
        shadow
            .queue(shadow.jobs.get(attempt.id().job()).spec().queue())
            .map(Queue::overReservation)
            .orElse(true);
    require(
        isOpenToAll
            || released.contains(attempt.id().job())
            || rules.isEntitled(attempt.policy(), pool, 0),
        "a queue that denies over-reservation starts jobs only that tenant and policy entitle (A5)",
        attempt);
  }

  /// The order within a queue is known without comparing more than the two jobs, unless a pool
  /// promotes jobs.
  private void afterStartBesideHeadroom(Attempt attempt, Instant now) {
    PoolId pool = attempt.assignment().pool();
    TenantId tenant = attempt.policy().tenant();
    Job job = shadow.jobs.get(attempt.id().job());
    HeadroomScope scope = HeadroomScope.ofTenant(HeadroomScope.Bound.LIMIT, pool);
    for (Job holder : shadow.live()) {
      HeadroomHold hold = holder.headroom().filter(it -> it.scopes().contains(scope)).orElse(null);
      if (hold == null
          || attempt.assignment().units() == 0
          || released.contains(job.id())
          || job.attempts() > 1
          || !holder.spec().queue().equals(job.spec().queue())
          || promotes(job)
          || !isAhead(holder, job)
          || endsBy(job, now, hold.passableUntil())) {
        continue;
      }
      long need =
          shadow
              .queue(holder.spec().queue())
              .flatMap(queue -> shadow.profile(queue.profile()))
              .orElseThrow()
              .need()
              .units();
      require(
          rules.chargedBeside(holder.id(), tenant, pool) + need <= rules.limit(tenant, pool),
          "no later job of a queue starts on the tenant's headroom that another holds (O7)",
          attempt,
          holder);
    }
  }

  private boolean promotes(Job job) {
    return shadow
        .queue(job.spec().queue())
        .flatMap(queue -> shadow.profile(queue.profile()))
        .stream()
        .flatMap(profile -> profile.pools().stream())
        .flatMap(pool -> shadow.pool(pool).stream())
        .anyMatch(pool -> pool.promoteAfter().isPresent());
  }

  private static boolean isAhead(Job one, Job other) {
    return one.spec().priority() == other.spec().priority()
        ? one.sequence() < other.sequence()
        : one.spec().priority() > other.spec().priority();
  }

  private static boolean endsBy(Job job, Instant now, Instant end) {
    return job.spec().longest().filter(longest -> !now.plus(longest).isAfter(end)).isPresent();
  }

  private void requireWithinLimit(TenantId tenant, PoolId pool, Object detail) {
    require(
        rules.charged(tenant, pool) <= rules.limit(tenant, pool),
        "nothing is held above the tenant's limit",
        detail);
  }

  private void beforeVictim(Attempt victim, StopCause.Preempted cause) {
    PoolId pool = victim.assignment().pool();
    PolicyId winner = rules.policyOf(cause.by());
    PolicyId loser = victim.policy();
    if (cause.rule() == PreemptionRule.P11) {
      return; // A moved job keeps its use: see ConsolidationCheck.
    }
    if (cause.rule() == PreemptionRule.P9) {
      require(winner.equals(loser), "P9 stays within the policy", victim, cause);
      return;
    }
    boolean isForeign = rules.isShared(pool) && !winner.tenant().equals(loser.tenant());
    if (cause.rule() == PreemptionRule.P1) {
      entitled.put(cause.by(), pool);
    }
    require(
        cause.grounds().tenants().isPresent() == isForeign,
        "tenants are told where they matter",
        victim,
        cause);
    if (!isForeign) {
      require(
          rules.standing(loser) > rules.reservation(loser),
          "within a tenant no policy at or below its reservation loses a job",
          victim,
          cause);
      return;
    }
    victimsOfOtherTenants++;
    require(cause.rule() != PreemptionRule.P7, "ranks count within a tenant only", victim, cause);
    if (cause.rule() == PreemptionRule.P10) {
      require(
          over(loser.tenant(), pool) * rules.weight(winner.tenant(), pool)
              > over(winner.tenant(), pool) * rules.weight(loser.tenant(), pool),
          "between tenants the larger share loses a job (P10)",
          victim,
          cause);
    }
    require(
        rules.standing(loser.tenant(), pool) > rules.reservation(loser.tenant(), pool),
        "no tenant at or below its reservation loses a job to another",
        victim,
        cause,
        rules.standing(loser.tenant(), pool));
    require(
        !rules.isEntitled(loser, pool, 0),
        "no tenant loses a job that is entitled by its policy and tenant",
        victim,
        cause);
  }

  private long over(TenantId tenant, PoolId pool) {
    return Math.max(0, rules.standing(tenant, pool) - rules.reservation(tenant, pool));
  }

  /// The victims are gone by now.
  private void beforeHold(Hold hold) {
    require(
        rules.isEntitled(rules.policyOf(hold.job()), hold.place().pool(), hold.place().units()),
        "only an entitled job takes from others (P1)",
        hold);
  }

  private void checkWaiting(SchedulerCore core, Instant now) {
    Set<Object> seen = new HashSet<>();
    List<Job> inOrder = new ArrayList<>(shadow.live());
    inOrder.sort(Comparator.comparingInt((Job job) -> job.spec().priority()).reversed());
    for (Job job : inOrder) {
      if (job.state() != JobState.WAITING
          || shadow.holds.containsKey(job.id())
          || shadow.backedOff.contains(job.id())) {
        continue;
      }
      Reason reason = core.reason(job.id()).orElse(null);
      require(reason != null, "every waiting job has a reason", job);
      Reason use = reason instanceof Reason.HeldInLimit(var of, var _, var _, var _) ? of : reason;
      if (use instanceof Reason.TenantLimit limit) {
        waitsForTenantLimit++;
        Reason.HeldInLimit holds = reason instanceof Reason.HeldInLimit is ? is : null;
        long held = holds == null ? 0 : holds.held().units();
        boolean isHeadroom = holds != null && holds.until().isPresent();
        require(
            limit.usage().units()
                    == (isHeadroom
                        ? rules.chargedBeside(holds.holder(), limit.tenant(), limit.pool())
                        : rules.used(limit.tenant(), limit.pool()))
                && limit.limit().units() == rules.limit(limit.tenant(), limit.pool())
                && limit.usage().units() + held + limit.need().units() > limit.limit().units(),
            "the numbers of a reason are never wrong",
            job,
            reason);
      }
      if (seen.add(job.spec().queue())) {
        checkEntitled(job, core, reason, now);
      }
    }
  }

  /// A job that may take the place of another of its own profile takes it: what the other leaves
  /// fits, whatever else there is.
  private void checkEntitled(Job job, SchedulerCore core, Reason reason, Instant now) {
    boolean isSupply =
        reason instanceof Reason.TenantLimit
            || (reason instanceof Reason.HeldInLimit held
                && held.limit() instanceof Reason.TenantLimit)
            || reason instanceof Reason.Capacity
            || reason instanceof Reason.Fragmentation
            || reason instanceof Reason.PoolCapacity;
    Queue queue = shadow.queue(job.spec().queue()).orElse(null);
    if (!isSupply || queue == null || !mayTake(queue)) {
      return;
    }
    long need = shadow.profile(queue.profile()).orElseThrow().need().units();
    PolicyId own = queue.policy();
    Duration after = shadow.policy(own).map(Policy::preemptAfter).orElse(Duration.ZERO);
    if (job.waitingSince().plus(after).isAfter(now)) {
      return;
    }
    if (need == 0) {
      return;
    }
    Optional<Attempt> victim =
        new TenantVictims(shadow, rules, now)
            .first(
                queue,
                pool -> isOpen(job, own, pool, need) && rules.isEntitled(own, pool, need),
                attempt -> isReplaceable(attempt, queue) && hasRoom(own, attempt, need));
    require(
        victim.isEmpty(),
        "no entitled job waits while it may take the place of another",
        job,
        victim,
        core.explain(job.id()),
        core.policies(),
        core.tenants(),
        shadow.holds);
  }

  private boolean mayTake(Queue queue) {
    Profile profile = shadow.profile(queue.profile()).orElse(null);
    return profile != null
        && queue.open()
        && profile.reclaim() != Reclaim.STRICT
        && profile.pools().stream()
            .map(shadow::pool)
            .flatMap(Optional::stream)
            .allMatch(pool -> pool.elasticity().isEmpty());
  }

  private boolean isReplaceable(Attempt attempt, Queue queue) {
    Pool pool = shadow.pool(attempt.assignment().pool()).orElse(null);
    Profile profile = shadow.profile(queue.profile()).orElseThrow();
    return pool != null
        && attempt.profile().equals(queue.profile())
        && attempt.assignment().units() == profile.need().units()
        && attempt.assignment().workers().size() == profile.workers()
        && pool.capacity().isEmpty()
        && attempt.assignment().workers().stream()
            .allMatch(place -> {
              Node node = shadow.nodes.get(place.node());
              return node != null
                  && node.pool().equals(pool.id())
                  && shadow.takesWork(node)
                  && place.cpuMillis() == profile.cpuMillis()
                  && !isHeld(node)
                  && isWhole(node, pool, profile, place);
            });
  }

  /// Whether the node is still what it was when the place was given: others of its kind joined in
  /// its stead meanwhile, or the pool admits another model now.
  private boolean isWhole(Node node, Pool pool, Profile profile, WorkerPlace given) {
    long cpu = 0;
    for (Attempt attempt : shadow.attempts.values()) {
      for (WorkerPlace place : attempt.assignment().workers()) {
        cpu += place.node().equals(node.id()) ? place.cpuMillis() : 0;
      }
    }
    return cpu <= node.cpuMillis()
        && (node.runsImages() || !profile.images())
        && given.slices().stream()
            .allMatch(slice ->
                node.devices().stream()
                    .anyMatch(device ->
                        device.index() == slice.device()
                            && device.inService()
                            && pool.gpuModel().map(device.model()::equals).orElse(true)
                            && (profile.gpuModels().isEmpty()
                                || profile.gpuModels().contains(device.model()))
                            && (!profile.gpus().isFraction()
                                || device.isolation().compareTo(profile.isolation()) >= 0)));
  }

  /// A hold there may be on the GPUs that the attempt would leave.
  private boolean isHeld(Node node) {
    return shadow.holds.values().stream()
        .flatMap(hold -> hold.place().workers().stream())
        .anyMatch(place -> place.node().equals(node.id()));
  }

  /// Whether the job may start in the pool. A non-preemptible job may only while its tenant's
  /// reservation has room for it (A8).
  private boolean isOpen(Job job, PolicyId own, PoolId pool, long need) {
    return isPreemptible(job)
        || !rules.isShared(pool)
        || rules.nonPreemptible(own.tenant(), pool) + heldForFixed(own, pool) + need
            <= rules.reservation(own.tenant(), pool);
  }

  private boolean isPreemptible(Job job) {
    PolicyId policy = rules.policyOf(job.id());
    return job.spec()
        .preemptible()
        .orElseGet(() -> shadow.policy(policy).map(known -> known.preemptible()).orElse(true));
  }

  private long heldForFixed(PolicyId own, PoolId pool) {
    return shadow.holds.values().stream()
        .filter(hold -> hold.place().pool().equals(pool))
        .filter(hold -> rules.policyOf(hold.job()).tenant().equals(own.tenant()))
        .filter(hold -> !isPreemptible(shadow.jobs.get(hold.job())))
        .mapToLong(hold -> hold.place().units())
        .sum();
  }

  /// Whether its tenant's limit has room for the units that the attempt would leave.
  private boolean hasRoom(PolicyId own, Attempt attempt, long need) {
    PoolId pool = attempt.assignment().pool();
    // The GPUs that an attempt of the same tenant leaves are its tenant's too.
    long more = own.tenant().equals(attempt.policy().tenant()) ? 0 : need;
    return rules.charged(own.tenant(), pool) + more <= rules.limit(own.tenant(), pool);
  }
}
