package io.headgate.scheduler.core.property;

import io.headgate.scheduler.core.Decision;
import io.headgate.scheduler.core.Effect;
import io.headgate.scheduler.core.Input;
import io.headgate.scheduler.core.SchedulerCore;
import io.headgate.scheduler.core.catalog.Pool;
import io.headgate.scheduler.core.catalog.Profile;
import io.headgate.scheduler.core.catalog.Queue;
import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.explain.Reason;
import io.headgate.scheduler.core.job.Attempt;
import io.headgate.scheduler.core.job.AttemptId;
import io.headgate.scheduler.core.job.Hold;
import io.headgate.scheduler.core.job.HoldRelease;
import io.headgate.scheduler.core.job.Job;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.core.job.StopCause;
import io.headgate.scheduler.core.job.WorkerPlace;
import io.headgate.scheduler.core.node.Node;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Holds a decision against the named properties, effect by effect.
final class Checker {
  /// Prefixes up to this length are searched exhaustively for better choices.
  private static final int MAX_EXHAUSTIVE = 11;

  private final Shadow shadow;
  private Instant now = Instant.EPOCH;

  /// Victims of the preemption that is being told; its hold ends it.
  private final List<Attempt> victims = new ArrayList<>();

  private Optional<List<Attempt>> prefix = Optional.empty();

  /// The hold whose job starts next.
  private final Map<JobId, HoldRelease> released = new LinkedHashMap<>();

  private final Map<JobId, Hold> releasedHolds = new LinkedHashMap<>();

  Checker(Shadow shadow) {
    this.shadow = shadow;
  }

  private static void require(boolean holds, String property, Object... details) {
    if (!holds) {
      StringBuilder text = new StringBuilder("violated: ").append(property);
      for (Object detail : details) {
        text.append("\n  ").append(detail);
      }
      throw new AssertionError(text);
    }
  }

  private Reference reference() {
    return new Reference(shadow, now);
  }

  /// @param inputs those that led to the decision
  void check(List<Input> inputs, Decision decision, SchedulerCore core, Instant at) {
    now = at;
    inputs.forEach(shadow::apply);
    shadow.setAside(core.state());
    released.clear();
    releasedHolds.clear();
    for (Effect effect : decision.effects()) {
      before(effect);
      shadow.apply(effect);
      after(effect);
    }
    require(victims.isEmpty(), "a preemption holds its place in the same decision", victims);
    require(
        shadow.state(core.state()).equals(core.state()),
        "effects tell everything that the core knows",
        shadow.state(core.state()),
        core.state());
    for (Node node : shadow.nodes.values()) {
      require(!reference().isOvercommitted(node, true), "never two jobs on one slice", node);
    }
  }

  private void before(Effect effect) {
    switch (effect) {
      case Effect.StartAttempt(var attempt) -> beforeStart(attempt);
      case Effect.StopAttempt(var id, var order) -> {
        if (order.cause() instanceof StopCause.Preempted(var by, var _)) {
          beforeVictim(shadow.attempts.get(id), shadow.jobs.get(by));
        }
      }
      case Effect.HoldPlaced(var hold) -> beforeHold(hold);
      case Effect.HoldReleased(var job, var cause) -> {
        released.put(job, cause);
        releasedHolds.put(job, shadow.holds.get(job));
      }
      default -> {}
    }
  }

  private void after(Effect effect) {
    switch (effect) {
      case Effect.HoldPlaced(var hold) -> afterHold(hold);
      case Effect.StartAttempt(var attempt) -> afterStart(attempt);
      default -> {}
    }
  }

  // The job is ASSIGNED already when its start is told; it is looked at as if it still waited.
  private void beforeStart(Attempt attempt) {
    Job job = shadow.jobs.get(attempt.id().job());
    Reference rules = reference();
    HoldRelease release = released.get(job.id());
    // What is held is charged already: its rights were looked at when it was placed.
    require(
        release != null || rules.refusal(job).isEmpty(),
        "only what rights allow starts",
        attempt,
        rules.refusal(job));
    if (release != HoldRelease.USED) {
      Queue queue = rules.queue(job.spec().queue()).orElseThrow();
      Profile profile = rules.profile(queue.profile()).orElseThrow();
      for (Pool pool : rules.routes(queue, profile)) {
        if (pool.id().equals(attempt.assignment().pool())) {
          break;
        }
        require(
            !rules.fits(pool, profile, false, Set.of()),
            "a job takes the first pool in routing order that can satisfy it (O6)",
            attempt,
            pool);
      }
    } else {
      require(
          attempt.assignment().equals(releasedHolds.get(job.id()).place()),
          "a held job starts where it was held",
          attempt);
    }
    if (release == null) {
      requireTurn(job, rules);
    }
    require(
        job.attempts() == attempt.id().number() && shadow.attempt(job.id()).isEmpty(),
        "at most one live attempt per job",
        attempt);
  }

  /// Nobody who could start as well was before it.
  private void requireTurn(Job job, Reference rules) {
    // Jobs with the same rights are judged by the first of them, a queue by the first that may
    // start.
    Map<List<Object>, Job> alike = new LinkedHashMap<>();
    for (Job other : shadow.live()) {
      if (other.state() == JobState.WAITING && !shadow.holds.containsKey(other.id())) {
        alike.merge(
            List.of(other.spec().queue(), other.spec().user(), other.spec().preemptible()),
            other,
            (a, b) -> rules.isAhead(a, b) ? a : b);
      }
    }
    Map<QueueId, Job> firsts = new LinkedHashMap<>();
    for (Job other : alike.values()) {
      if (rules.refusal(other).isEmpty() && rules.fitsSomewhere(other, false, Set.of())) {
        firsts.merge(other.spec().queue(), other, (a, b) -> rules.isAhead(a, b) ? a : b);
      }
    }
    for (Job other : firsts.values()) {
      require(!rules.isBefore(other, job), "no better-ranked job is passed over", other, job);
    }
  }

  private void afterStart(Attempt attempt) {
    Reference rules = reference();
    Queue queue = rules.queue(shadow.jobs.get(attempt.id().job()).spec().queue()).orElseThrow();
    Profile profile = rules.profile(queue.profile()).orElseThrow();
    Pool pool = rules.pool(attempt.assignment().pool()).orElseThrow();
    require(
        rules.charged(attempt.policy())
            <= rules.policy(attempt.policy()).orElseThrow().limit().units(),
        "never over the limit",
        attempt);
    require(attempt.assignment().workers().size() == profile.workers(), "all or nothing", attempt);
    if (pool.capacity().isPresent()) {
      long used =
          shadow.attempts.values().stream()
              .filter(other -> other.assignment().pool().equals(pool.id()))
              .mapToLong(other -> other.assignment().units())
              .sum();
      require(
          attempt.assignment().units() == 0 || used <= pool.capacity().get().units(),
          "never over the pool's ceiling",
          attempt,
          pool);
    }
    for (WorkerPlace worker : attempt.assignment().workers()) {
      Node node = shadow.nodes.get(worker.node());
      require(
          node != null && rules.takesWork(node) && node.pool().equals(pool.id()),
          "starts on nodes of its pool that take work",
          attempt,
          node);
      require(!rules.isOvercommitted(node, true), "never over capacity", attempt, node);
      require(
          worker.units() == profile.gpus().units()
              && worker.cpuMillis() == profile.cpuMillis()
              && worker.slices().size()
                  == (profile.gpus().isFraction() ? 1 : profile.gpus().units() / 126_000),
          "a worker has what its profile says",
          attempt);
    }
  }

  private void beforeVictim(Attempt victim, Job preemptor) {
    Reference rules = reference();
    Profile profile =
        rules.profile(rules.queue(preemptor.spec().queue()).orElseThrow().profile()).orElseThrow();
    if (victims.isEmpty()) {
      require(rules.isEntitled(preemptor), "only an entitled job preempts (P1)", preemptor);
      require(rules.refusal(preemptor).isEmpty(), "only what may start preempts", preemptor);
      require(
          !rules.fitsSomewhere(preemptor, true, Set.of()),
          "nobody goes if the job fits, now or when what stops has stopped (P6)",
          preemptor);
      prefix = rules.prefix(preemptor);
      require(prefix.isPresent(), "victims are found only where there are some", preemptor);
    }
    require(
        rules.mayGo(victim, profile.reclaim(), Set.of()),
        "no policy at or below its reservation loses a job (P2)",
        victim,
        preemptor);
    require(
        !victim.policy().equals(rules.queue(preemptor.spec().queue()).orElseThrow().policy()),
        "nobody takes from its own policy under P1",
        victim);
    require(
        prefix.get().stream().anyMatch(other -> other.id().equals(victim.id())),
        "victims are of the shortest prefix (P3, P4)",
        victim,
        prefix);
    victims.add(victim);
  }

  private void beforeHold(Hold hold) {
    Job job = shadow.jobs.get(hold.job());
    Reference rules = reference();
    require(rules.isEntitled(job), "only entitled jobs hold", job);
    require(!rules.fitsSomewhere(job, false, Set.of()), "what fits now does not hold", job);
    require(rules.fitsSomewhere(job, true, Set.of()), "a hold is where its job will fit", hold);
    if (!victims.isEmpty()) {
      checkChoice(job);
    }
  }

  /// The victims are stopping by now; they are looked at as if they were not.
  private void checkChoice(Job job) {
    Shadow before = new Shadow(shadow.catalog);
    before.nodes.putAll(shadow.nodes);
    before.aside.putAll(shadow.aside);
    before.jobs.putAll(shadow.jobs);
    before.attempts.putAll(shadow.attempts);
    before.holds.putAll(shadow.holds);
    victims.forEach(victim -> before.attempts.put(victim.id(), victim));
    Reference rules = new Reference(before, now);
    Set<AttemptId> chosen = new HashSet<>();
    double lost = 0;
    for (Attempt victim : victims) {
      chosen.add(victim.id());
      lost += rules.lostWork(victim);
    }
    require(rules.fitsSomewhere(job, true, chosen), "the victims make room", victims);
    for (Attempt victim : victims) {
      Set<AttemptId> fewer = new HashSet<>(chosen);
      fewer.remove(victim.id());
      require(
          !rules.fitsSomewhere(job, true, fewer),
          "no proper subset of the victims would do (P4)",
          victim,
          victims);
    }
    List<Attempt> all = prefix.orElseThrow();
    if (all.size() > MAX_EXHAUSTIVE) {
      return;
    }
    for (int mask = 0; mask < 1 << all.size(); mask++) {
      if (Integer.bitCount(mask) > chosen.size()) {
        continue;
      }
      Set<AttemptId> subset = new HashSet<>();
      double subsetLost = 0;
      for (int i = 0; i < all.size(); i++) {
        if ((mask & 1 << i) != 0) {
          subset.add(all.get(i).id());
          subsetLost += rules.lostWork(all.get(i));
        }
      }
      boolean better =
          subset.size() < chosen.size()
              || (subset.size() == chosen.size() && subsetLost < lost - 1e-3);
      require(
          !better || !rules.fitsSomewhere(job, true, subset),
          "the fewest victims, then the least lost work (P4)",
          subset,
          chosen);
    }
  }

  private void afterHold(Hold hold) {
    Reference rules = reference();
    for (WorkerPlace worker : hold.place().workers()) {
      Node node = shadow.nodes.get(worker.node());
      require(node != null && rules.takesWork(node), "a hold is on nodes that take work", hold);
      require(!rules.isOvercommitted(node, true), "a hold takes nobody's slice", hold, node);
    }
    victims.clear();
    prefix = Optional.empty();
  }

  /// What must be true when the core has nothing more to decide.
  void checkRest(SchedulerCore core) {
    Reference rules = reference();
    Map<Object, Boolean> seen = new LinkedHashMap<>();
    for (Job job : shadow.live()) {
      if (job.state() != JobState.WAITING) {
        continue;
      }
      Optional<Reason> reason = core.reason(job.id());
      require(reason.isPresent(), "every waiting job has a reason", job);
      if (shadow.holds.containsKey(job.id())) {
        require(reason.get() instanceof Reason.WaitingForVictims, "a held job waits for it", job);
        require(
            !rules.fitsSomewhere(job, false, Set.of())
                || !core.hold(job.id()).orElseThrow().place().workers().isEmpty(),
            "a held job starts as soon as it fits",
            job);
        continue;
      }
      Optional<String> refusal = rules.refusal(job);
      Queue queue = rules.queue(job.spec().queue()).orElse(null);
      if (refusal.isPresent()) {
        require(
            reason.get().code().equals(refusal.get()),
            "a reason is never wrong",
            job,
            reason,
            refusal);
        continue;
      }
      // Jobs of one queue are alike in what follows.
      if (seen.put(List.of(queue.id(), reason.get().code()), true) != null) {
        continue;
      }
      require(
          !rules.fitsSomewhere(job, false, Set.of()),
          "no free capacity that a waiting job may use (work conserving)",
          job,
          reason);
      require(
          Set.of("CAPACITY", "FRAGMENTATION", "POOL_CAPACITY").contains(reason.get().code()),
          "a reason is never wrong",
          job,
          reason);
      if (rules.isEntitled(job)) {
        require(
            !rules.fitsSomewhere(job, true, Set.of()) && rules.prefix(job).isEmpty(),
            "no entitled job waits while the P rules would make room",
            job,
            rules.prefix(job));
      }
    }
  }
}
