package io.headgate.agent.core;

import java.time.Duration;
import java.util.Optional;

/// One step of a stop.
///
/// @param result empty: the step still runs
/// @param duration empty: the step still runs
public record StopStep(Phase phase, Optional<Result> result, Optional<Duration> duration) {
  /// A phase of a stop.
  public enum Phase {
    SUSPEND,
    CALLBACK,
    TERM,
    KILL,
    CLEANUP
  }

  /// How it ended.
  public enum Result {
    OK,
    FAILED,
    TIMED_OUT,
    SKIPPED
  }

  static StopStep begun(Phase phase) {
    return new StopStep(phase, Optional.empty(), Optional.empty());
  }

  static StopStep over(Phase phase, Result result, Duration duration) {
    Duration positive = duration.isNegative() ? Duration.ZERO : duration;
    return new StopStep(phase, Optional.of(result), Optional.of(positive));
  }
}
