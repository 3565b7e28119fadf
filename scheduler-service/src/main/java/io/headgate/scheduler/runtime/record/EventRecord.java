package io.headgate.scheduler.runtime.record;

import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.WorkerPlace;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// An event. Events are ordered by their decisions. Empty strings: does not apply.
///
/// @param version rises by the order of decisions
/// @param jobId of the job it is about
/// @param attempt number of the attempt; 0: none
/// @param byJob the preemptor; only for a preemption
/// @param rule of the preemption; only for a preemption
/// @param places of the workers; only for an assignment
/// @param message one sentence
/// @param detail numbers by name
/// @param phases of jobs' lives that end with it
public record EventRecord(
    long version,
    TenantId tenant,
    Instant time,
    EventType type,
    Optional<JobId> jobId,
    String job,
    int attempt,
    String queue,
    String policy,
    String pool,
    String node,
    String byJob,
    String rule,
    List<WorkerPlace> places,
    String message,
    Map<String, String> detail,
    List<Phase> phases) {
  public EventRecord {
    places = List.copyOf(places);
    phases = List.copyOf(phases);
  }

  public EventRecord atVersion(long newVersion) {
    return new EventRecord(
        newVersion,
        tenant,
        time,
        type,
        jobId,
        job,
        attempt,
        queue,
        policy,
        pool,
        node,
        byJob,
        rule,
        places,
        message,
        detail,
        phases);
  }

  public EventRecord with(List<Phase> ended) {
    return new EventRecord(
        version, tenant, time, type, jobId, job, attempt, queue, policy, pool, node, byJob, rule,
        places, message, detail, ended);
  }
}
