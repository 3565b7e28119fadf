package io.headgate.scheduler.runtime.record;

import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.WorkerPlace;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// An [EventRecord] while it is put together.
public final class Event {
  private final EventType type;
  private final TenantId tenant;
  private Optional<JobId> jobId = Optional.empty();
  private String job = "";
  private int attempt;
  private String queue = "";
  private String policy = "";
  private String pool = "";
  private String node = "";
  private String byJob = "";
  private String rule = "";
  private List<WorkerPlace> places = List.of();
  private String message = "";
  private Map<String, String> detail = Map.of();

  public Event(EventType type, TenantId tenant) {
    this.type = type;
    this.tenant = tenant;
  }

  public Event job(JobId id, String name) {
    jobId = Optional.of(id);
    job = name;
    return this;
  }

  public Event attempt(int number) {
    attempt = number;
    return this;
  }

  public Event queue(String queueId, String policyId) {
    queue = queueId;
    policy = policyId;
    return this;
  }

  public Event pool(String id) {
    pool = id;
    return this;
  }

  public Event node(String id) {
    node = id;
    return this;
  }

  public Event preemption(String by, String underRule) {
    byJob = by;
    rule = underRule;
    return this;
  }

  public Event places(List<WorkerPlace> workers) {
    places = workers;
    return this;
  }

  public Event message(String sentence) {
    message = sentence;
    return this;
  }

  public Event detail(Map<String, String> numbers) {
    detail = numbers;
    return this;
  }

  /// Its version comes when the turn ends.
  public EventRecord at(Instant time) {
    return new EventRecord(
        0, tenant, time, type, jobId, job, attempt, queue, policy, pool, node, byJob, rule, places,
        message, detail, List.of());
  }
}
