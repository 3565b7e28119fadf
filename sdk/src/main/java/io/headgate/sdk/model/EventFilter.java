package io.headgate.sdk.model;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// Selects events. Null criteria match all events; all present criteria must match.
///
/// @param job id of the job that they are about
/// @param policy id of the policy of that job
/// @param byJob id of the job that took the place of that job
/// @param byWhom id of the policy or of the user of the job that took the place
/// @param after the earliest time
public record EventFilter(
    @Nullable String job,
    @Nullable String policy,
    @Nullable String byJob,
    @Nullable String byWhom,
    @Nullable Instant after) {
  public static final EventFilter ALL = new EventFilter(null, null, null, null, null);

  public EventFilter withJob(@Nullable String id) {
    return new EventFilter(id, policy, byJob, byWhom, after);
  }

  public EventFilter withPolicy(@Nullable String id) {
    return new EventFilter(job, id, byJob, byWhom, after);
  }

  public EventFilter withByJob(@Nullable String id) {
    return new EventFilter(job, policy, id, byWhom, after);
  }

  /// Preemptions and moves for jobs of this policy or user.
  public EventFilter withByWhom(@Nullable String id) {
    return new EventFilter(job, policy, byJob, id, after);
  }

  public EventFilter withAfter(@Nullable Instant time) {
    return new EventFilter(job, policy, byJob, byWhom, time);
  }

  /// Whether the event matches the criteria.
  public boolean matches(Event event) {
    Attempt.@Nullable Preemption preemption = event.preemption();
    Instant time = event.time();
    return (job == null || event.job().equals(job))
        && (policy == null || event.policy().equals(policy))
        && (byJob == null || (preemption != null && preemption.byJob().equals(byJob)))
        && (byWhom == null
            || (preemption != null
                && (byWhom.equals(event.detail().get("policy"))
                    || byWhom.equals(event.detail().get("user")))))
        && (after == null || (time != null && !time.isBefore(after)));
  }
}
