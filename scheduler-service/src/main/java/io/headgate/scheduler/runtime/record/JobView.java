package io.headgate.scheduler.runtime.record;

import io.headgate.scheduler.core.explain.Explanation.Position;
import io.headgate.scheduler.core.explain.Reason;
import java.util.Optional;

/// A job as it is shown.
///
/// @param attempt the current or last one, where it is known
/// @param reason why it waits
/// @param use how it counts against its policy; absent: it holds nothing
public record JobView(
    JobRecord job,
    Optional<AttemptRecord> attempt,
    Optional<Reason> reason,
    Optional<Position> position,
    Optional<Use> use) {

  /// How a job's use counts against its policy.
  public enum Use {
    ENTITLED,
    OVER_RESERVATION,
    ABOVE_LIMIT
  }

  /// A job of which only the durable part is known.
  public static JobView of(JobRecord job, Optional<AttemptRecord> attempt) {
    return new JobView(job, attempt, Optional.empty(), Optional.empty(), Optional.empty());
  }
}
