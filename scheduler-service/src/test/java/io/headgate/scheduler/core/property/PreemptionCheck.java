package io.headgate.scheduler.core.property;

import static io.headgate.scheduler.core.property.Violation.require;

import io.headgate.scheduler.core.catalog.Policy;
import io.headgate.scheduler.core.catalog.PolicyId;
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
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Which jobs make room, which go for them, and which GPUs are held for them (P1-P9).
final class PreemptionCheck {
  /// Prefixes up to this length are searched exhaustively for better choices.
  private static final int MAX_EXHAUSTIVE = 9;

  private final Shadow shadow;
  private final Supply supply;

  /// Victims of the preemption that is being told; its hold ends it.
  private final List<Attempt> victims = new ArrayList<>();

  private Optional<List<Attempt>> prefix = Optional.empty();
  private Shadow beforeVictims;

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
    if (victims.isEmpty()) {
      beforeVictims = shadow.copy();
      overBefore = over(rules);
      require(
          possible.rulesFor(preemptor).contains(rule),
          "only an entitled job preempts (P1), or one whose rule allows it (P7, P9)",
          rule,
          preemptor,
          rules.refusal(preemptor));
      require(
          !rules.fitsNow(preemptor) || rule == PreemptionRule.P9,
          "nobody goes if the job fits now",
          preemptor);
      require(
          !possible.makesRoom(preemptor, rule, Set.of()),
          "nobody goes if the job fits when what stops has stopped (P6)",
          preemptor);
      require(
          rule == PreemptionRule.P9 || !supply.mayServe(preemptor, rules),
          "nobody goes while an elastic pool may serve the job (P6)",
          preemptor);
      prefix = possible.prefix(preemptor, rule);
      require(prefix.isPresent(), "victims are found only where there are some", preemptor);
    }
    require(
        possible.mayGo(victim, preemptor, rule, Set.of()),
        "no policy at or below its reservation loses a job (P2)",
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
    require(
        prefix.orElseThrow().stream().anyMatch(other -> other.id().equals(victim.id())),
        "victims are of the shortest prefix (P3, P4)",
        victim,
        prefix);
    requireGrounds(cause.grounds(), victim, preemptor, rules);
    victims.add(victim);
  }

  private static void requireGrounds(
      PreemptionGrounds grounds, Attempt victim, Job preemptor, Reference rules) {
    require(
        grounds.equals(
            new PreemptionGrounds(
                share(rules, victim.policy()),
                share(rules, rules.queue(preemptor).policy()),
                Reference.gpus(rules.need(preemptor)))),
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
          possible.rulesFor(job).contains(rule),
          "only who may make room holds what stops",
          rule,
          job);
    }
    require(
        rule == PreemptionRule.P9 || !rules.fitsNow(job) || rules.refusal(job).isPresent(),
        "what fits now does not hold",
        job);
    require(possible.makesRoom(job, rule, Set.of()), "a hold is where its job will fit", hold);
    if (!victims.isEmpty()) {
      checkChoice(job, rule, rules.now);
    }
  }

  private void checkChoice(Job job, PreemptionRule rule, Instant now) {
    Reference before = new Reference(beforeVictims, now);
    Victims possible = new Victims(before);
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
          !possible.makesRoom(job, rule, fewer),
          "no proper subset of the victims would do (P4)",
          victim,
          victims);
    }
    if (prefix.orElseThrow().size() > MAX_EXHAUSTIVE) {
      return;
    }
    require(possible.makesRoom(job, rule, chosen), "the victims make room", victims);
    List<Attempt> all = prefix.orElseThrow();
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
          !better || !possible.makesRoom(job, rule, subset),
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
    // By P1 and P2 this number falls with every preemption, and only free capacity raises it: no
    // livelock. A suspended attempt does not count in it, and ends once.
    boolean someRan = !victims.stream().allMatch(Shadow::isKept);
    require(
        !someRan || rule(hold) != PreemptionRule.P1 || over(rules) < overBefore,
        "preemptions are bounded: each lowers the sum of over-reservation usage",
        hold,
        overBefore);
    victims.clear();
    prefix = Optional.empty();
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
