package io.headgate.scheduler.runtime.record;

import io.headgate.type.GpuQuantity;
import java.time.Instant;
import java.util.List;

/// A job's data beyond the core's needs that the leader keeps in memory. The job's document stays
/// in the database.
///
/// @param name with its tenant
/// @param policy id, through the queue, when it was queued
/// @param profile id, through the queue, when it was queued
/// @param gpus of all its workers
/// @param submitter resource name of the user or service account
/// @param byRole admitted to the queue as an admin, not as a member of its policy's group
/// @param labels `key=value`, by key
/// @param traceparent W3C trace context of the submission; empty: none
/// @param createdAt when it was submitted first
public record JobMetadata(
    JobName name,
    String policy,
    String profile,
    GpuQuantity gpus,
    int workers,
    String submitter,
    boolean byRole,
    List<String> labels,
    String traceparent,
    Instant createdAt) {
  public JobMetadata {
    labels = List.copyOf(labels);
  }

  /// The same of a job with another name.
  public JobMetadata named(JobName newName) {
    return new JobMetadata(
        newName, policy, profile, gpus, workers, submitter, byRole, labels, traceparent, createdAt);
  }

  /// The same job, queued anew through a queue that may lead elsewhere now.
  public JobMetadata requeuedTo(
      String newPolicy, String newProfile, GpuQuantity newGpus, int count) {
    return new JobMetadata(
        name,
        newPolicy,
        newProfile,
        newGpus,
        count,
        submitter,
        byRole,
        labels,
        traceparent,
        createdAt);
  }
}
