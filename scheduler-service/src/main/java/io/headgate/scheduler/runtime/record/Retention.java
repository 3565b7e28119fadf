package io.headgate.scheduler.runtime.record;

import java.time.Duration;
import java.time.Instant;

/// How long ended jobs are remembered.
///
/// @param keep from a job's end, or from an event
public record Retention(Duration keep) {
  /// Time between the last moment at which a job can be requeued and its deletion, so that the
  /// deletion does not overtake a requeue.
  private static final Duration GRACE = Duration.ofHours(1);

  /// Whether the job was over for so long that it may be gone any time. One that is not over never
  /// is.
  public boolean isOver(JobRecord job, Instant now) {
    return job.state().isTerminal()
        && job.course().finishedAt().map(end -> end.isBefore(now.minus(keep))).orElse(false);
  }

  /// Jobs and events older than this are deleted.
  Instant horizon(Instant now) {
    return now.minus(keep).minus(GRACE);
  }
}
