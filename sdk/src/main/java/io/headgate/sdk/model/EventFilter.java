package io.headgate.sdk.model;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// Selects events. Null criteria match all events; all present criteria must match.
///
/// @param job id of the job that they are about
/// @param policy id of the policy of that job
/// @param byJob id of the job that took the place of that job
/// @param after the earliest time
public record EventFilter(
    @Nullable String job,
    @Nullable String policy,
    @Nullable String byJob,
    @Nullable Instant after) {
  public static final EventFilter ALL = new EventFilter(null, null, null, null);

  public EventFilter withJob(@Nullable String id) {
    return new EventFilter(id, policy, byJob, after);
  }

  public EventFilter withPolicy(@Nullable String id) {
    return new EventFilter(job, id, byJob, after);
  }

  public EventFilter withByJob(@Nullable String id) {
    return new EventFilter(job, policy, id, after);
  }

  public EventFilter withAfter(@Nullable Instant time) {
    return new EventFilter(job, policy, byJob, time);
  }

  /// Whether the event matches the criteria.
  public boolean matches(Event event) {
    Attempt.@Nullable Preemption preemption = event.preemption();
    Instant time = event.time();
    return (job == null || event.job().equals(job))
        && (policy == null || event.policy().equals(policy))
        && (byJob == null || (preemption != null && preemption.byJob().equals(byJob)))
        && (after == null || (time != null && !time.isBefore(after)));
  }
}
