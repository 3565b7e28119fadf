package io.headgate.policy.core.access;

import java.time.Duration;
import java.util.Optional;

/// The time that a stop leaves to the jobs of a policy: their default, which a job may shorten.
///
/// @param callback time limit of the abort callback; absent: the default of all jobs
/// @param terminate time between SIGTERM and SIGKILL; absent: the default of all jobs
public record Grace(Optional<Duration> callback, Optional<Duration> terminate) {
  /// The defaults of all jobs.
  public static final Grace NONE = new Grace(Optional.empty(), Optional.empty());

  /// The longest that a job may have.
  public static final Duration LONGEST_CALLBACK = Duration.ofMinutes(30);

  /// The longest that a job may have.
  public static final Duration LONGEST_TERMINATE = Duration.ofMinutes(10);
}
