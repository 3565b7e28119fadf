package io.headgate.scheduler.core;

import io.headgate.scheduler.core.catalog.Catalog;
import io.headgate.scheduler.core.job.AttemptId;
import io.headgate.scheduler.core.job.Gate;
import io.headgate.scheduler.core.job.Job;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.JobSpec;
import io.headgate.scheduler.core.node.Node;
import io.headgate.scheduler.core.node.NodeId;
import java.time.Instant;

/// Something that happened outside the core.
///
/// The worker inputs name an attempt and one of its workers (0 for a job of one worker). Inputs of
/// an attempt that is no longer the job's live one are ignored: they are late, or repeated.
public sealed interface Input {
  /// The complete catalog of a tenant; it replaces the one before.
  record CatalogChanged(Catalog catalog) implements Input {}

  /// A node joined, or its inventory or status changed.
  record NodeChanged(Node node) implements Input {}

  /// An operator put the node into service: what it rejected before counts no more.
  record NodeCleared(NodeId node) implements Input {}

  /// A node left for good. It takes no new work; it is forgotten when its last attempt has ended.
  record NodeRemoved(NodeId node) implements Input {}

  /// A new job, with an id that no job has had. A change later in the batch may make it possible;
  /// then it is not refused.
  ///
  /// @param gate what it waits for first. A job that has ended before the batch is not in it
  record JobSubmitted(JobSpec job, Gate gate) implements Input {
    /// A job that waits for nothing else.
    public JobSubmitted(JobSpec job) {
      this(job, Gate.OPEN);
    }
  }

  /// A user wants the job to end. `job` is the shell's record of it, for the core forgets drafts
  /// and ended jobs.
  record JobCancelled(Job job) implements Input {}

  /// A user wants the job to start anew: from its original place if it is live, from a new place if
  /// it is a draft or has ended. `job` is the shell's record of it, for the core forgets drafts and
  /// ended jobs.
  record JobRequeued(Job job) implements Input {}

  /// A user changes a waiting job: its priority, its longest run time or its queue. It keeps its
  /// place by O5.
  record JobUpdated(JobSpec job) implements Input {}

  /// The job's submitter may no longer use its queue. If it waits it becomes a draft and needs a
  /// new request to be queued; one that has an attempt goes on (A1).
  record JobWithdrawn(JobId job) implements Input {}

  /// The worker runs.
  record WorkerStarted(AttemptId attempt, int worker, Instant at) implements Input {}

  /// The attempt saved its work, so that less is lost by stopping it.
  record AttemptCheckpointed(AttemptId attempt, Instant at) implements Input {}

  /// The worker ended by itself; its slices are clean.
  record WorkerExited(AttemptId attempt, int worker, int exitCode) implements Input {}

  /// The worker was stopped on request; its slices are clean.
  record WorkerStopped(AttemptId attempt, int worker) implements Input {}

  /// Instead of being stopped the worker stands still in main memory; its slices are clean.
  record WorkerSuspended(AttemptId attempt, int worker) implements Input {}

  /// The agent could not run the worker; nothing ran. The fault may be the node's or the job's.
  record WorkerRejected(AttemptId attempt, int worker, String reason) implements Input {}

  /// No agent was told of the worker, because its node lost contact; nothing ran. It says nothing
  /// about the node's devices, nor about the job.
  record WorkerUndelivered(AttemptId attempt, int worker, String reason) implements Input {}

  /// The worker provably no longer runs, although no agent saw it end. The proof is a new boot id,
  /// an operator's word, or enough time without contact.
  record WorkerLost(AttemptId attempt, int worker) implements Input {}

  /// Time has passed; see [Decision#wakeAt].
  record TimePassed() implements Input {}
}
