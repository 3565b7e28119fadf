package io.headgate.scheduler.core.property;

import static io.headgate.scheduler.core.property.Violation.require;
import static java.util.Comparator.naturalOrder;

import io.headgate.scheduler.core.catalog.Policy;
import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.Pool;
import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.job.Attempt;
import io.headgate.scheduler.core.job.AttemptId;
import io.headgate.scheduler.core.job.Hold;
import io.headgate.scheduler.core.job.Job;
import io.headgate.scheduler.core.job.PreemptionGrounds;
import io.headgate.scheduler.core.job.PreemptionRule;
import io.headgate.scheduler.core.job.StopCause;
import io.headgate.scheduler.core.job.WorkerPlace;
import io.headgate.scheduler.core.node.Node;
import io.headgate.scheduler.core.property.Reference.Standing;
import io.headgate.scheduler.core.property.Victims.Right;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// Which jobs make room, which go for them, and which GPUs are held for them (P1-P9).
final class PreemptionCheck {
  /// Prefixes up to this length are searched exhaustively for better choices.
  private static final int MAX_EXHAUSTIVE = 9;

  private final Shadow shadow;
  private final Supply supply;

  /// Victims of the preemption that is being told; its hold ends it.
  private final List<Attempt> victims = new ArrayList<>();

  /// The rules by which they go.
  private final Map<AttemptId, PreemptionRule> rulesOfVictims = new LinkedHashMap<>();

  private Shadow beforeVictims;

  /// Whether an elastic pool may serve the job for which they go, so that it takes nothing from
  /// other policies (P6).
  private boolean waitsForInstance;

  /// Over-reservation usage of all policies before the first victim.
  private long overBefore;

  PreemptionCheck(Shadow shadow, Supply supply) {
    this.shadow = shadow;
    this.supply = supply;
    this.beforeVictims = shadow;
  }

  /// All effects of the decision were reported.
  void end() {
    require(victims.isEmpty(), "a preemption holds its place in the same decision", victims);
  }

  void beforeVictim(Attempt victim, StopCause.Preempted cause, Reference rules) {
    Job preemptor = shadow.jobs.get(cause.by());
    PreemptionRule rule = cause.rule();
    Victims possible = new Victims(rules);
    require(
        !shadow.fresh.contains(victim.id()),
        "no job is started and stopped in one decision (P5)",
        victim,
        preemptor);
    if (victims.isEmpty()) {
      beforeVictims = shadow.copy();
      overBefore = over(rules);
      waitsForInstance = supply.mayServe(preemptor, rules);
      require(
          possible.rightsFor(preemptor).stream().anyMatch(right -> right.allows(rule)),
          "only an entitled job preempts (P1), or one whose rule allows it (P7, P9, P10)",
          rule,
          preemptor,
          rules.refusal(preemptor));
      require(
          !rules.fitsNow(preemptor)
              || rule == PreemptionRule.P9
              || rules.refusal(preemptor).isPresent(),
          "nobody goes if the job fits now",
          preemptor);
      require(
          possible.rightsFor(preemptor).stream()
              .filter(right -> right.allows(rule))
              .noneMatch(right -> possible.makesRoom(preemptor, right, Set.of())),
          "nobody goes if the job fits when what stops has stopped (P6)",
          preemptor);
      require(
          rule == PreemptionRule.P9 || !waitsForInstance,
          "nobody goes while an elastic pool may serve the job (P6)",
          preemptor);
    }
    require(
        rule == PreemptionRule.P10 || possible.mayGo(victim, preemptor, alone(rule), Set.of()),
        "no level at or below its reservation loses a job (P2)",
        rule,
        victim,
        preemptor);
    PoolId own = victim.assignment().pool();
    boolean same = victim.policy().equals(rules.queue(preemptor).policy());
    require(
        Shadow.isKept(victim) || same == (rule == PreemptionRule.P9),
        "nobody takes from its own policy but under P9",
        victim,
        own);
    requireGrounds(cause.grounds(), victim, preemptor, rules);
    victims.add(victim);
    rulesOfVictims.put(victim.id(), rule);
  }

  private static Right alone(PreemptionRule rule) {
    return new Right(rule, rule == PreemptionRule.P9);
  }

  private static void requireGrounds(
      PreemptionGrounds grounds, Attempt victim, Job preemptor, Reference rules) {
    require(
        grounds.equals(
            new PreemptionGrounds(
                    share(rules, victim.policy()),
                    share(rules, rules.queue(preemptor).policy()),
                    Reference.gpus(rules.need(preemptor)))
                .weighed(grounds.weighing().orElseThrow())),
        "the grounds of a preemption are what was just before",
        grounds,
        victim);
  }

  private static PreemptionGrounds.Share share(Reference rules, PolicyId policy) {
    return new PreemptionGrounds.Share(
        policy,
        Reference.gpus(rules.standing(policy, Set.of())),
        Reference.gpus(rules.reservation(policy)));
  }

  void beforeHold(Hold hold, Reference rules) {
    PreemptionRule rule = hold.rule().orElseThrow();
    Victims possible = new Victims(rules);
    Job job = shadow.jobs.get(hold.job());
    if (victims.isEmpty()) {
      require(
          possible.rightsFor(job).stream().anyMatch(right -> right.allows(rule)),
          "only who may make room holds what stops",
          rule,
          job);
    }
    require(
        rule == PreemptionRule.P9
            || !victims.isEmpty()
            || !rules.fitsNow(job)
            || rules.refusal(job).isPresent(),
        "what fits now does not hold",
        job);
    require(rules.fitsWithout(job, Set.of()), "a hold is where its job will fit", hold);
    if (!victims.isEmpty()) {
      checkChoice(job, right(hold, rules.now), rules.now);
    }
  }

  /// The right of which the victims are. They go together by it, and the hold has the rule of those
  /// of other policies.
  private Right right(Hold hold, Instant now) {
    Victims possible = new Victims(new Reference(beforeVictims, now));
    Job job = shadow.jobs.get(hold.job());
    List<Right> rights = possible.rightsFor(job);
    if (waitsForInstance) {
      rights = rights.stream().anyMatch(Right::within) ? List.of(Right.WITHIN) : List.of();
    }
    Set<AttemptId> chosen = ids(victims);
    for (Right right : rights) {
      boolean isOf =
          victims.stream()
              .allMatch(
                  victim -> rulesOfVictims.get(victim.id()) == possible.ruleOf(victim, job, right));
      boolean isHeldBy =
          hold.rule().orElseThrow() == right.rule()
              || rulesOfVictims.values().stream().allMatch(PreemptionRule.P9::equals);
      if (isOf && isHeldBy && possible.makesRoom(job, right, chosen)) {
        return right;
      }
    }
    throw new AssertionError(
        "violated: victims go by one right, and together (P1, P9, P10)\n  "
            + rulesOfVictims
            + "\n  "
            + rights);
  }

  /// The first stage whose prefix has all the victims, or the first without a prefix: there the
  /// victims are of one place.
  private Optional<List<Attempt>> prefix(Victims possible, Job job, Right right) {
    Set<Standing> oversized = EnumSet.noneOf(Standing.class);
    while (true) {
      Optional<List<Attempt>> prefix = possible.prefix(job, right, oversized);
      if (prefix.isEmpty() || ids(prefix.get()).containsAll(ids(victims))) {
        requireNoWorseWasSpared(possible, job, right, oversized);
        return prefix;
      }
      Optional<Standing> worst =
          Arrays.stream(Standing.values())
              .filter(standing -> !oversized.contains(standing))
              .reduce((_, last) -> last);
      require(worst.isPresent(), "victims are of the shortest prefix (P3, P4)", victims, prefix);
      oversized.add(worst.orElseThrow());
    }
  }

  private void requireNoWorseWasSpared(
      Victims possible, Job job, Right right, Set<Standing> oversized) {
    Standing best = victims.stream().map(possible::standing).min(naturalOrder()).orElseThrow();
    for (Attempt attempt : beforeVictims.attempts.values()) {
      require(
          ids(victims).contains(attempt.id())
              || !possible.isOversized(attempt, job)
              || oversized.contains(possible.standing(attempt))
              || possible.standing(attempt).compareTo(best) <= 0
              || !inPoolsOf(job).contains(attempt.assignment().pool())
              || !possible.mayGo(attempt, job, right, Set.of())
              // Where its place is of no use to the job, it is given back.
              || !possible.makesRoom(job, right, Set.of(attempt.id())),
          "a large job is spared only for others of its standing (P4)",
          attempt,
          victims);
    }
  }

  private Set<PoolId> inPoolsOf(Job job) {
    return new Reference(beforeVictims, Instant.EPOCH)
        .routes(job).stream().map(Pool::id).collect(Collectors.toSet());
  }

  private static Set<AttemptId> ids(List<Attempt> attempts) {
    return attempts.stream().map(Attempt::id).collect(Collectors.toSet());
  }

  /// Victims of one place: none of its permitted sets spares all of those that are as protected as
  /// the most protected victim.
  private void checkPlace(Reference before, Job job, Right right) {
    Victims possible = new Victims(before);
    List<Attempt> order = possible.inOrder(beforeVictims.attempts.values());
    int last = victims.stream().mapToInt(order::indexOf).max().orElseThrow();
    if (before.profile(job).workers() == 1) {
      Optional<Set<AttemptId>> better =
          possible.permittedOnOneNode(
              job,
              right,
              attempt ->
                  order.indexOf(attempt) < last
                      && inPoolsOf(job).contains(attempt.assignment().pool())
                      && !possible.isOversized(attempt, job));
      require(
          better.isEmpty(),
          "of all places, the one whose most protected victim goes first (P4)",
          better,
          victims);
    }
  }

  private void checkChoice(Job job, Right right, Instant now) {
    Reference before = new Reference(beforeVictims, now);
    Victims possible = new Victims(before);
    Optional<List<Attempt>> prefix = prefix(possible, job, right);
    Set<AttemptId> chosen = new HashSet<>();
    double lost = 0;
    for (Attempt victim : victims) {
      chosen.add(victim.id());
      lost += possible.lostWork(victim);
    }
    for (Attempt victim : victims) {
      Set<AttemptId> fewer = new HashSet<>(chosen);
      fewer.remove(victim.id());
      require(
          !possible.makesRoom(job, right, fewer),
          "no proper subset of the victims would do (P4)",
          victim,
          victims);
    }
    if (prefix.isEmpty()) {
      checkPlace(before, job, right);
      return;
    }
    if (prefix.get().size() > MAX_EXHAUSTIVE) {
      return;
    }
    require(possible.makesRoom(job, right, chosen), "the victims make room", victims);
    List<Attempt> all = prefix.get();
    for (int mask = 0; mask < 1 << all.size(); mask++) {
      if (Integer.bitCount(mask) > chosen.size()) {
        continue;
      }
      Set<AttemptId> subset = new HashSet<>();
      double subsetLost = 0;
      for (int i = 0; i < all.size(); i++) {
        if ((mask & 1 << i) != 0) {
          subset.add(all.get(i).id());
          subsetLost += possible.lostWork(all.get(i));
        }
      }
      boolean better =
          subset.size() < chosen.size()
              || (subset.size() == chosen.size() && subsetLost < lost - 1e-3);
      require(
          !better || !possible.makesRoom(job, right, subset),
          "the fewest victims, then the least lost work (P4)",
          subset,
          chosen);
    }
  }

  void afterHold(Hold hold, Reference rules) {
    Job job = shadow.jobs.get(hold.job());
    require(
        rules.standing(rules.queue(job).policy(), Set.of())
                <= rules.limit(rules.queue(job).policy())
            || rules.mayExceedLimit(job),
        "a hold keeps the limit",
        hold);
    for (WorkerPlace worker : hold.place().workers()) {
      Node node = shadow.nodes.get(worker.node());
      require(node != null && shadow.takesWork(node), "a hold is on nodes that take work", hold);
      require(Space.isInService(node, worker), "a hold is on devices that are in service", hold);
    }
    // A department may lose jobs of policies within their reservations.
    // By P1 and P2 this number falls with every preemption, and only free capacity raises it: no
    // livelock. A suspended attempt does not count in it, and ends once.
    boolean someRan = !victims.stream().allMatch(Shadow::isKept);
    require(
        !someRan
            || rule(hold) != PreemptionRule.P1
            || over(rules) < overBefore
            || (!shadow.catalog.departments().isEmpty() && over(rules) == overBefore),
        "preemptions are bounded: each lowers the sum of over-reservation usage",
        hold,
        overBefore);
    victims.clear();
    rulesOfVictims.clear();
  }

  private static PreemptionRule rule(Hold hold) {
    return hold.rule().orElseThrow();
  }

  private static long over(Reference rules) {
    long sum = 0;
    for (Policy policy : rules.shadow.catalog.policies()) {
      sum += Math.max(0, rules.standing(policy.id(), Set.of()) - policy.reservation().units());
    }
    return sum;
  }
}
