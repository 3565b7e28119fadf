package io.headgate.scheduler.runtime.catalog;

import java.time.Duration;
import java.util.Optional;

/// The time that a policy leaves to its jobs when they stop: their default, and the most that they
/// may have.
///
/// @param callback time limit of the abort callback; absent: the default of all jobs
/// @param terminate time between SIGTERM and SIGKILL; absent: the default of all jobs
public record Grace(Optional<Duration> callback, Optional<Duration> terminate) {
  public static final Grace NONE = new Grace(Optional.empty(), Optional.empty());
}
