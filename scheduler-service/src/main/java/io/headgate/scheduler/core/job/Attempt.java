package io.headgate.scheduler.core.job;

import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.ProfileId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// A live run of a job: it has slices until every worker has ended.
///
/// @param policy whose usage it counts to, even if its queue goes away meanwhile
/// @param profile whose execution priority it has, even if its queue goes away meanwhile
/// @param preemptible whether it may be a victim; decided when it was assigned (A8)
/// @param sequence the core's order of assignments: a higher one was assigned later (P3)
/// @param startedAt when all workers ran
/// @param checkpointAt when it last saved its work
/// @param workers by worker index
/// @param stop present while it is asked to stop
public record Attempt(
    AttemptId id,
    PolicyId policy,
    ProfileId profile,
    Assignment assignment,
    boolean preemptible,
    long sequence,
    Instant assignedAt,
    Optional<Instant> startedAt,
    Optional<Instant> checkpointAt,
    List<WorkerStatus> workers,
    Optional<StopOrder> stop) {
  public Attempt {
    workers = List.copyOf(workers);
    if (workers.size() != assignment.workers().size()) {
      throw new IllegalArgumentException(
          "attempt %s: %d workers assigned, %d known"
              .formatted(id, assignment.workers().size(), workers.size()));
    }
  }
}
