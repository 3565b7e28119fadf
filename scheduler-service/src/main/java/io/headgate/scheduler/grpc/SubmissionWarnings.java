package io.headgate.scheduler.grpc;

import io.headgate.proto.pool.v1.Warning;
import io.headgate.proto.scheduler.v1.Job;
import io.headgate.scheduler.core.catalog.Policy;
import io.headgate.scheduler.core.catalog.PreemptWithin;
import io.headgate.scheduler.core.catalog.Profile;
import io.headgate.scheduler.core.catalog.ProfileId;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.runtime.catalog.Access;
import io.headgate.scheduler.runtime.catalog.CatalogView;
import io.headgate.scheduler.runtime.leadership.LeaderDoor;
import io.headgate.scheduler.runtime.leadership.NotLeadingException;
import io.headgate.type.GpuQuantity;
import java.util.Optional;

/// Hints for the submitter of a job that was taken. They refuse nothing.
///
/// A gang that needs more GPUs than its policy reserves is never entitled, however few others run.
/// So it may be preempted (P2), and loses the work of all its workers at once.
final class SubmissionWarnings {
  private final LeaderDoor door;

  SubmissionWarnings(LeaderDoor door) {
    this.door = door;
  }

  /// The job with its warnings, by the catalog known here; without any where this replica does not
  /// lead. Does not block.
  Job with(Job job, TenantId tenant) {
    if (job.getWorkers() < 2) {
      return job;
    }
    try {
      return aboveReservation(job, tenant, door.catalog())
          .map(warning -> job.toBuilder().addWarnings(warning).build())
          .orElse(job);
    } catch (NotLeadingException _) {
      return job;
    }
  }

  private static Optional<Warning> aboveReservation(Job job, TenantId tenant, CatalogView catalog) {
    GpuQuantity need = GpuQuantity.parse(job.getGpus());
    return catalog
        .rights(tenant, job.getPolicy())
        .map(Access.Rights::policy)
        .filter(policy -> need.compareTo(policy.reservation()) > 0)
        .filter(policy ->
            job.getSpec().hasPreemptible() ? job.getSpec().getPreemptible() : policy.preemptible())
        .filter(policy -> hasRivals(job, policy, catalog))
        .map(policy ->
            Warning.newBuilder()
                .setReason("GANG_ABOVE_RESERVATION")
                .setMessage(
                    "it asks for %s GPUs, and policy %s reserves %s: the whole gang may be preempted"
                        .formatted(need.mixed(), policy.id().name(), policy.reservation().mixed()))
                .setField("spec.queue")
                .build());
  }

  /// Whether other policies may take what it uses, or jobs of its own policy (P9).
  private static boolean hasRivals(Job job, Policy policy, CatalogView catalog) {
    TenantId tenant = policy.id().tenant();
    return policy.preemptWithin() != PreemptWithin.NEVER
        || catalog.queues(tenant).stream().anyMatch(queue -> !queue.policy().equals(policy.id()))
        || catalog
            .profile(new ProfileId(tenant, job.getProfile()))
            .map(Profile::pools)
            .filter(pools -> pools.stream().anyMatch(pool -> !pool.tenant().equals(tenant)))
            .isPresent();
  }
}
