package io.headgate.scheduler.runtime.record;

import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.WorkerPlace;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Something that happened, in the order in which it was decided. Empty strings: does not apply.
///
/// @param version rises by the order of decisions
/// @param jobId of the job it is about
/// @param attempt number of the attempt; 0: none
/// @param byJob who took the place; only when preempted
/// @param rule under which rule; only when preempted
/// @param places where each worker goes; only when assigned
/// @param message one sentence
/// @param detail numbers by name
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
    Map<String, String> detail) {
  public EventRecord {
    places = List.copyOf(places);
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
        detail);
  }
}
