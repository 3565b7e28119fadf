package io.headgate.scheduler.core.ledger;

import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.ProfileId;
import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.catalog.UserId;
import io.headgate.scheduler.core.job.Assignment;
import io.headgate.scheduler.core.job.JobId;

/// Slices that a job has: those of an attempt, or free ones that are held for it.
///
/// @param attempt number of the attempt; 0: the slices are held for the job
/// @param policy on which they count
/// @param place the exact slices; of a hold the parts that are free
public record Holding(
    JobId job,
    int attempt,
    PolicyId policy,
    QueueId queue,
    ProfileId profile,
    UserId user,
    Assignment place) {
  public boolean isHeld() {
    return attempt == 0;
  }
}
