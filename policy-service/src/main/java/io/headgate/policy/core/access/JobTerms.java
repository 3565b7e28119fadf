package io.headgate.policy.core.access;

import java.time.Duration;
import java.util.Optional;

/// What a policy's jobs may expect when others want their GPUs, or when contact is lost.
///
/// @param minRuntime a job is no victim before it ran this long (P2)
/// @param preemptible the default of its jobs (A8)
/// @param stopAfter how long its jobs run on without contact; absent: for ever
public record JobTerms(
    OnPreempt onPreempt,
    Duration minRuntime,
    boolean preemptible,
    PreemptWithin preemptWithin,
    Optional<Duration> stopAfter) {
  public static final Duration DEFAULT_STOP_AFTER = Duration.ofMinutes(40);

  /// What happens to a victim (P8).
  public enum OnPreempt {
    REQUEUE,
    CANCEL
  }

  /// Whether its jobs may preempt one another (P9).
  public enum PreemptWithin {
    NEVER,
    LOWER_PRIORITY
  }
}
