package io.headgate.scheduler.core.property;

import static io.headgate.scheduler.core.property.Violation.require;

import io.headgate.scheduler.core.catalog.Department;
import io.headgate.scheduler.core.catalog.Policy;
import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.job.Attempt;
import io.headgate.scheduler.core.job.Hold;
import io.headgate.scheduler.core.job.Job;
import io.headgate.scheduler.core.job.StopCause;
import io.headgate.scheduler.core.job.StopOutcome;
import java.util.Set;

/// O5: what a job needs that lost a worker, no later job takes while its attempt stops.
final class ReturningCheck {
  private ReturningCheck() {}

  /// Whether the attempt stops because a worker was lost, and its job may start again.
  static boolean mayReturn(Job job, Reference rules) {
    Attempt attempt = rules.shadow.attempt(job.id()).orElse(null);
    if (attempt == null
        || Shadow.isSuspended(attempt)
        || rules.shadow.backedOff.contains(job.id())
        || !stopsToReturn(attempt)
        || rules.structural(job).isPresent()
        || rules.need(job) != attempt.assignment().units()
        || rules.preemptible(job) != attempt.preemptible()) {
      return false;
    }
    Policy policy = rules.policy(job);
    PolicyId id = policy.id();
    return (rules.queue(job).overReservation() || rules.isEntitled(job))
        && (usage(id, rules) + rules.need(job) <= rules.limit(id) || rules.mayExceedLimit(job))
        && policy
            .perUserLimit()
            .map(limit -> rules.chargedByUser(id, job.spec().user()) <= limit.units())
            .orElse(true)
        && (attempt.preemptible() || rules.nonPreemptible(id) <= rules.reservation(id));
  }

  /// Whether the attempt stops because a worker was lost.
  static boolean stopsToReturn(Attempt attempt) {
    return attempt
        .stop()
        .filter(order -> order.outcome() == StopOutcome.REQUEUE)
        .filter(order -> order.cause() instanceof StopCause.WorkerEnded)
        .isPresent();
  }

  /// All that runs and all that is held.
  private static long usage(PolicyId policy, Reference rules) {
    long held = 0;
    for (Hold hold : rules.holds()) {
      boolean counts = hold.isForBlocked() && rules.policyOf(hold).equals(policy);
      held += counts ? hold.place().units() : 0;
    }
    return rules.standing(policy, Set.of()) + held;
  }

  /// Whether it fits, in the limits of departments too, when everything that stops has stopped.
  static boolean fits(Job job, Reference rules) {
    return rules.departmentsOf(job).stream().allMatch(each -> hasRoom(each, job, rules))
        && rules.fitsWithout(job, Set.of());
  }

  private static boolean hasRoom(Department department, Job job, Reference rules) {
    return rules.need(job) == 0
        || rules.standing(department, Set.of()) + rules.heldForBlocked(department) + rules.need(job)
            <= rules.departments.limit(department);
  }

  /// Checks all of them at a time when the core has nothing more to decide.
  static void checkRest(Reference rules) {
    for (Job job : rules.shadow.live()) {
      if (job.state().hasAttempt() && !rules.shadow.returning.containsKey(job.id())) {
        require(
            !mayReturn(job, rules) || !fits(job, rules),
            "a returning job keeps a place that it fits in (O5)",
            job);
      }
    }
  }
}
