package io.headgate.scheduler.core.property;

import static io.headgate.scheduler.core.property.Violation.require;

import io.headgate.scheduler.core.Decision;
import io.headgate.scheduler.core.Effect;
import io.headgate.scheduler.core.Input;
import io.headgate.scheduler.core.SchedulerCore;
import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.Pool;
import io.headgate.scheduler.core.catalog.Profile;
import io.headgate.scheduler.core.catalog.Queue;
import io.headgate.scheduler.core.job.Attempt;
import io.headgate.scheduler.core.job.Hold;
import io.headgate.scheduler.core.job.HoldRelease;
import io.headgate.scheduler.core.job.Job;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.PreemptionRule;
import io.headgate.scheduler.core.job.StopCause;
import io.headgate.scheduler.core.job.WorkerPlace;
import io.headgate.scheduler.core.node.Node;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Holds a decision against the rules, effect by effect.
///
/// Holds of O7 are lifted at the beginning of a pass and come back in their turn; the decision says
/// when ([Decision.HoldChange]), so at each effect only those count that counted for the core.
final class Checker {
  final Shadow shadow;
  private final Supply supply;
  private final PreemptionCheck preemptions;
  private final ConsolidationCheck consolidations;
  private Instant now = Instant.EPOCH;
  private @Nullable Reference current;

  /// Holds of O7 that do not count at the moment.
  private final Map<JobId, Hold> lifted = new LinkedHashMap<>();

  /// The holds that ended in this decision, and why.
  private final Map<JobId, Hold> releasedHolds = new LinkedHashMap<>();

  private final Map<JobId, HoldRelease> released = new LinkedHashMap<>();

  Checker(Shadow shadow) {
    this.shadow = shadow;
    this.supply = new Supply(shadow);
    this.preemptions = new PreemptionCheck(shadow, supply);
    this.consolidations = new ConsolidationCheck(shadow);
  }

  /// As they are now; made anew only when something has changed that they count.
  private Reference rules() {
    if (current == null) {
      current = new Reference(shadow, now);
    }
    return current;
  }

  private void apply(Effect effect) {
    shadow.apply(effect);
    switch (effect) {
      case Effect.StartAttempt _,
          Effect.StopAttempt _,
          Effect.AttemptSuspended _,
          Effect.ResumeAttempt _,
          Effect.AttemptChanged _,
          Effect.AttemptEnded _,
          Effect.HoldPlaced _,
          Effect.HoldReleased _,
          Effect.HeadroomHoldChanged _,
          Effect.ReleaseNode _ ->
          current = null;
      case Effect.HoldPauseChanged(var job, var pause) -> {
        require(
            pause.isEmpty()
                || released.get(job) == HoldRelease.EXPIRED
                || HeadroomCheck.isExpired(shadow.jobs.get(job), now),
            "a pause begins when a hold expires (O7)",
            job,
            pause);
        current = null;
      }
      case Effect.GateChanged _ -> current = null;
      case Effect.JobChanged _,
          Effect.DependencyFailed _,
          Effect.PastUseChanged _,
          Effect.NodeSetAside _,
          Effect.ScalePool _,
          Effect.LaneReasonChanged _,
          Effect.JobReasonChanged _ -> {}
    }
  }

  /// @param inputs those that led to the decision
  void check(List<Input> inputs, Decision decision, SchedulerCore core, Instant at) {
    now = at;
    current = null;
    supply.begin();
    for (Input input : inputs) {
      shadow.apply(input);
      switch (input) {
        case Input.NodeRemoved(var node) -> supply.forget(node);
        case Input.CatalogChanged _ -> supply.forgetWhereStatic();
        default -> {}
      }
    }
    shadow.setAside(core.state());
    released.clear();
    releasedHolds.clear();
    int changes = 0;
    for (int i = 0; i < decision.effects().size(); i++) {
      changes = applyHoldChanges(decision.holdChanges(), changes, i);
      Effect effect = decision.effects().get(i);
      before(effect);
      if (effect instanceof Effect.HoldPlaced(var hold)
          && hold.isForBlocked()
          && lasts(hold, decision.effects().subList(i, decision.effects().size()))) {
        BlockedHoldCheck.requireFirst(hold, rules());
      }
      apply(effect);
      after(effect);
    }
    applyHoldChanges(decision.holdChanges(), changes, decision.effects().size());
    require(lifted.isEmpty(), "a lifted hold comes back or is released", lifted);
    preemptions.end();
    consolidations.end();
    require(
        shadow.state(core.state()).equals(Shadow.inOrder(core.state())),
        "effects tell everything that the core knows",
        shadow.state(core.state()),
        core.state());
    Reference rules = rules();
    requireSuccession();
    for (Node node : shadow.nodes.values()) {
      require(!rules.space.isOvercommitted(node), "never two jobs on one slice", node);
    }
    supply.check(decision, rules);
    shadow.noteUse(inputs, at);
  }

  /// Whether the decision does not take the hold back. A preemption may let a job hold whose turn
  /// was before; then all take their turns again.
  private static boolean lasts(Hold hold, List<Effect> rest) {
    return rest.stream()
        .noneMatch(effect ->
            effect instanceof Effect.HoldReleased(var job, var _) && job.equals(hold.job()));
  }

  /// However policies are renamed, what runs counts on the policy of its queue.
  private void requireSuccession() {
    for (Attempt attempt : shadow.attempts.values()) {
      Job job = shadow.jobs.get(attempt.id().job());
      Optional<PolicyId> policy =
          shadow
              .queue(job.spec().queue())
              .map(Queue::policy)
              .filter(id -> shadow.policy(id).isPresent());
      require(
          policy.isEmpty() || policy.get().equals(attempt.policy()),
          "a running job counts on the policy of its queue",
          attempt,
          policy);
    }
  }

  /// Lifts holds and puts them back as it happened before the effect.
  ///
  /// @return the number of applied changes of holds
  private int applyHoldChanges(List<Decision.HoldChange> changes, int done, int effect) {
    int next = done;
    for (; next < changes.size() && changes.get(next).at() <= effect; next++) {
      Decision.HoldChange change = changes.get(next);
      JobId job = change.hold().job();
      if (!change.hold().isForBlocked()) {
        applyReturning(change);
        continue;
      }
      Map<JobId, Hold> from = changes.get(next).inForce() ? lifted : shadow.holds;
      Map<JobId, Hold> to = changes.get(next).inForce() ? shadow.holds : lifted;
      Hold hold = from.remove(job);
      require(
          hold != null && hold.isForBlocked(), "only what was held is lifted", changes.get(next));
      to.put(job, hold);
      current = null;
    }
    return next;
  }

  /// A returning job keeps a place that no other job has (O5).
  private void applyReturning(Decision.HoldChange change) {
    Hold place = change.hold();
    if (change.inForce()) {
      requireReturning(place, rules());
    }
    shadow.applyReturning(change);
    current = null;
  }

  private void requireReturning(Hold place, Reference rules) {
    Job job = shadow.jobs.get(place.job());
    require(
        ReturningCheck.mayReturn(job, rules) && ReturningCheck.fits(job, rules),
        "only a returning job keeps a place (O5)",
        place,
        job);
    require(
        rules.space.isFreeWithout(place.place().workers(), Set.of()),
        "a returning job keeps what is free or stops (O5)",
        place);
  }

  private void before(Effect effect) {
    switch (effect) {
      case Effect.StartAttempt(var attempt) -> beforeStart(attempt);
      case Effect.ResumeAttempt(var attempt) -> beforeResumption(attempt);
      case Effect.StopAttempt(var id, var order) -> {
        if (order.cause() instanceof StopCause.Preempted preempted) {
          if (preempted.rule() == PreemptionRule.P11) {
            consolidations.beforeMove(shadow.attempts.get(id), preempted, rules());
          } else {
            preemptions.beforeVictim(shadow.attempts.get(id), preempted, rules());
          }
        }
      }
      case Effect.HoldPlaced(var hold) -> {
        if (hold.isForBlocked()) {
          BlockedHoldCheck.beforeHold(hold, rules());
        } else if (isOfMove(hold)) {
          consolidations.beforeHold(hold, rules());
        } else {
          preemptions.beforeHold(hold, rules());
        }
      }
      case Effect.HeadroomHoldChanged(var job, var changed) ->
          HeadroomCheck.beforeChange(shadow.jobs.get(job), changed, this::rules);
      case Effect.HoldReleased(var job, var cause) -> {
        released.put(job, cause);
        Hold held = shadow.holds.getOrDefault(job, lifted.remove(job));
        current = null;
        require(held != null, "only what is held is released", job);
        releasedHolds.put(job, held);
      }
      default -> {}
    }
  }

  private static boolean isOfMove(Hold hold) {
    return hold.rule().filter(PreemptionRule.P11::equals).isPresent();
  }

  private void after(Effect effect) {
    switch (effect) {
      case Effect.HoldPlaced(var hold) -> {
        if (!hold.isForBlocked() && !isOfMove(hold)) {
          preemptions.afterHold(hold, rules());
        }
      }
      case Effect.StartAttempt(var attempt) -> {
        afterStart(attempt);
        requireProfile(attempt);
      }
      case Effect.ResumeAttempt(var attempt) -> afterStart(attempt);
      default -> {}
    }
  }

  // The job is ASSIGNED already when its start is reported; the check treats it as still waiting.
  private void beforeStart(Attempt attempt) {
    Job job = shadow.jobs.get(attempt.id().job());
    Hold former = releasedHolds.get(job.id());
    HoldRelease release = former != null && !former.isForBlocked() ? released.get(job.id()) : null;
    require(
        job.attempts() == attempt.id().number() && shadow.attempt(job.id()).isEmpty(),
        "at most one live attempt per job",
        attempt);
    if (release == HoldRelease.USED) {
      require(
          attempt.assignment().equals(former.place()),
          "a held job starts where it was held",
          attempt);
      return;
    }
    Reference rules = rules();
    // A hold is charged already: its rights were checked when it was placed.
    require(
        release != null || rules.refusal(job).isEmpty(),
        "only what rights allow starts",
        attempt,
        rules.refusal(job));
    Optional<Pool> first = rules.firstPool(job);
    boolean passes = BlockedHoldCheck.mayPass(attempt, job, rules);
    require(first.isPresent() || passes, "starts only on what is free or held for later", attempt);
    require(
        first.isEmpty() || first.get().id().equals(attempt.assignment().pool()),
        "a job takes the first pool in routing order that can satisfy it (O6)",
        attempt,
        first);
    if (release == null) {
      requireTurn(job, poolOf(attempt), rules);
    }
  }

  private Pool poolOf(Attempt attempt) {
    return shadow.pool(attempt.assignment().pool()).orElseThrow();
  }

  /// The attempt resumes with its own GPUs, which are no other attempt's.
  private void beforeResumption(Attempt attempt) {
    Attempt suspended = shadow.attempts.get(attempt.id());
    Job job = shadow.jobs.get(attempt.id().job());
    require(
        suspended != null
            && Shadow.isSuspended(suspended)
            && suspended.assignment().equals(attempt.assignment()),
        "only what is suspended goes on, where it was",
        attempt);
    Reference rules = rules();
    require(
        rules.space.isIdle(attempt.assignment().workers().getFirst()),
        "what is suspended goes on with idle devices",
        attempt);
    require(rules.refusal(job).isEmpty(), "only what rights allow goes on", attempt);
    if (rules.routes(job).size() == 1) {
      requireTurn(job, poolOf(attempt), rules);
    }
  }

  /// No job that could start as well was before it.
  private void requireTurn(Job job, Pool pool, Reference rules) {
    for (Job other : rules.firsts()) {
      Optional<Pool> fits = rules.firstPool(other);
      require(
          fits.isEmpty()
              || !rules.turns.isBefore(other, fits.get(), job, pool)
              || rules.letsGoFirst(other, job)
              || rules.letsOthersGoFirst(other),
          "no better-ranked job is passed over",
          other,
          job);
    }
  }

  private void afterStart(Attempt attempt) {
    Reference rules = rules();
    Job job = rules.job(attempt);
    Profile profile = rules.profile(job);
    Pool pool = poolOf(attempt);
    require(
        rules.used(attempt.policy()) <= rules.limit(attempt.policy()) || rules.mayExceedLimit(job),
        "never over the limit",
        attempt);
    require(attempt.assignment().workers().size() == profile.workers(), "all or nothing", attempt);
    if (pool.capacity().isPresent()) {
      long used = 0;
      for (Attempt other : shadow.attempts.values()) {
        used += other.assignment().pool().equals(pool.id()) ? Shadow.units(other) : 0;
      }
      require(
          attempt.assignment().units() == 0 || used <= pool.capacity().get().units(),
          "never over the pool's ceiling",
          attempt,
          pool);
    }
    for (WorkerPlace worker : attempt.assignment().workers()) {
      Node node = shadow.nodes.get(worker.node());
      require(
          node != null && shadow.takesWork(node) && node.pool().equals(pool.id()),
          "starts on nodes of its pool that take work",
          attempt,
          node);
      require(
          Space.isInService(node, worker), "starts on devices that are in service", attempt, node);
      require(!rules.space.isOvercommitted(node), "never over capacity", attempt, node);
    }
  }

  /// A resumed attempt keeps its GPUs, even if its profile has changed.
  private void requireProfile(Attempt attempt) {
    Profile profile = rules().profile(rules().job(attempt));
    for (WorkerPlace worker : attempt.assignment().workers()) {
      require(
          worker.units() == profile.gpus().units()
              && worker.cpuMillis() == profile.cpuMillis()
              && worker.slices().size()
                  == (profile.gpus().isFraction() ? 1 : profile.gpus().units() / 126_000),
          "a worker has what its profile says",
          attempt);
    }
  }

  /// Checks the state at a time when the core has nothing more to decide.
  void checkRest(SchedulerCore core) {
    new RestChecker(rules(), supply, core).check();
  }
}
