package io.headgate.scheduler.runtime.record;

import java.time.Duration;
import java.time.Instant;

/// How long what is over is remembered.
///
/// @param keep from a job's end, or from an event
public record Retention(Duration keep) {
  /// Between the moment from which a job cannot be requeued and its deletion: nobody who requeued
  /// it just before is overtaken.
  private static final Duration GRACE = Duration.ofHours(1);

  /// Whether the job was over for so long that it may be gone any time. One that is not over never
  /// is.
  public boolean isOver(JobRecord job, Instant now) {
    return job.state().isTerminal()
        && job.course().finishedAt().map(end -> end.isBefore(now.minus(keep))).orElse(false);
  }

  /// What ended or happened before this is deleted.
  Instant horizon(Instant now) {
    return now.minus(keep).minus(GRACE);
  }
}
