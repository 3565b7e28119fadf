package io.headgate.scheduler.core.property;

import io.headgate.scheduler.core.catalog.Department;
import io.headgate.scheduler.core.catalog.Policy;
import io.headgate.scheduler.core.catalog.Profile;
import io.headgate.scheduler.core.catalog.Queue;
import io.headgate.scheduler.core.job.Job;
import java.util.Optional;

/// The part of [Reference] about jobs that can never start as things are configured.
final class StructuralRules {
  private StructuralRules() {}

  /// The first obstacle that no end of a job removes.
  static Optional<String> of(Job job, Reference rules) {
    Queue queue = rules.queue(job.spec().queue()).orElse(null);
    if (queue == null
        || rules.shadow.profile(queue.profile()).isEmpty()
        || rules.shadow.policy(queue.policy()).isEmpty()) {
      return Optional.of("NEVER_FITS");
    }
    Policy policy = rules.policy(job);
    Profile profile = rules.profile(job);
    long need = rules.need(job);
    boolean userTooSmall = policy.perUserLimit().map(limit -> need > limit.units()).orElse(false);
    if ((need > policy.limit().units() && !rules.mayExceedLimit(job))
        || userTooSmall
        || (need > policy.reservation().units()
            && (!queue.overReservation() || !rules.preemptible(job)))
        || rules.departmentsOf(job).stream().anyMatch(each -> isTooSmall(each, job, rules))
        || rules.routes(job).stream().noneMatch(pool -> rules.space.everFits(pool, profile))) {
      return Optional.of("NEVER_FITS");
    }
    return queue.open() ? Optional.empty() : Optional.of("QUEUE_CLOSED");
  }

  private static boolean isTooSmall(Department department, Job job, Reference rules) {
    return rules.need(job) > rules.departments.limit(department)
        || (rules.need(job) > rules.departments.reservation(department)
            && (!rules.queue(job).overReservation() || !rules.preemptible(job)));
  }
}
