package io.headgate.policy.core.access;

import java.time.Duration;
import java.util.Optional;

/// The terms of a policy's jobs under preemption and loss of contact.
///
/// @param minRuntime run time before a job can be a victim (P2)
/// @param preemptible the default of its jobs (A8)
/// @param stopAfter time that its jobs continue without contact; absent: forever
/// @param preemptAfter time that its jobs wait before they preempt (P2)
public record JobTerms(
    OnPreempt onPreempt,
    Duration minRuntime,
    boolean preemptible,
    PreemptWithin preemptWithin,
    Optional<Duration> stopAfter,
    Duration preemptAfter,
    Grace grace) {
  public static final Duration DEFAULT_STOP_AFTER = Duration.ofMinutes(40);

  /// The treatment of a victim (P8).
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
