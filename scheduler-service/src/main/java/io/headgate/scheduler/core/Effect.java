package io.headgate.scheduler.core;

import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.explain.LaneId;
import io.headgate.scheduler.core.explain.Reason;
import io.headgate.scheduler.core.job.Attempt;
import io.headgate.scheduler.core.job.AttemptEnding;
import io.headgate.scheduler.core.job.AttemptId;
import io.headgate.scheduler.core.job.Dependency;
import io.headgate.scheduler.core.job.Gate;
import io.headgate.scheduler.core.job.HeadroomHold;
import io.headgate.scheduler.core.job.Hold;
import io.headgate.scheduler.core.job.HoldPause;
import io.headgate.scheduler.core.job.HoldRelease;
import io.headgate.scheduler.core.job.Job;
import io.headgate.scheduler.core.job.JobEvent;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.core.job.PastUse;
import io.headgate.scheduler.core.job.Rejection;
import io.headgate.scheduler.core.job.StopOrder;
import io.headgate.scheduler.core.node.NodeId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// Something that the core decided. The shell commits all effects of a decision in one transaction,
/// then acts.
public sealed interface Effect {
  /// The job is now as given. A job in a state without attempt and not waiting is forgotten by the
  /// core.
  ///
  /// @param from the state before; absent: the job is new
  record JobChanged(Job job, Optional<JobState> from, JobEvent event) implements Effect {}

  /// The agents start the job's new attempt on its nodes.
  record StartAttempt(Attempt attempt) implements Effect {}

  /// The live attempt is now as given (it runs, it saved its work, a worker ended).
  record AttemptChanged(Attempt attempt) implements Effect {}

  /// The agents stop the attempt (abort callback, SIGTERM, SIGKILL), or suspend it if the order
  /// says so. The core sends it again with another outcome when the order changes meanwhile.
  record StopAttempt(AttemptId attempt, StopOrder order) implements Effect {}

  /// The attempt is suspended: its slices are free, and it waits for the same ones.
  record AttemptSuspended(Attempt attempt) implements Effect {}

  /// The suspended attempt resumes with its slices.
  record ResumeAttempt(Attempt attempt) implements Effect {}

  /// The attempt has ended; its slices are free.
  record AttemptEnded(Attempt attempt, AttemptEnding ending) implements Effect {}

  /// Slices are kept for a waiting job.
  record HoldPlaced(Hold hold) implements Effect {}

  /// The job's hold is over.
  record HoldReleased(JobId job, HoldRelease cause) implements Effect {}

  /// The pause between the job's holds of unknown expected start is now another one (O7).
  ///
  /// @param pause empty: the job may hold
  record HoldPauseChanged(JobId job, Optional<HoldPause> pause) implements Effect {}

  /// The headroom that a blocked job holds is now another one (O7).
  ///
  /// @param headroom empty: it holds none
  record HeadroomHoldChanged(JobId job, Optional<HeadroomHold> headroom) implements Effect {}

  /// The gate of a waiting job is another one now.
  ///
  /// @param gate open: the job takes its place among the others of its queue
  /// @param waitingSince the latest moment at which it began to wait for its start
  record GateChanged(JobId job, Gate gate, Instant waitingSince) implements Effect {}

  /// A dependency of a waiting job can no longer be met, so the job is cancelled next.
  ///
  /// @param ended how the other job ended
  record DependencyFailed(JobId job, Dependency dependency, JobState ended) implements Effect {}

  /// The jobs of a lane now wait for another reason; the same reason with other numbers is not
  /// told. A job that joins the lane later, or comes back to it from a hold, shares its reason
  /// without being told: [SchedulerCore#reason] always has it, with the numbers of the moment.
  record LaneReasonChanged(LaneId lane, Reason reason) implements Effect {}

  /// The reason why this one job waits is now another one; it no longer shares its lane's.
  record JobReasonChanged(JobId job, Reason reason) implements Effect {}

  /// The past over-reservation use of a level of rights is now this (O4). It follows from this, as
  /// time passes, until it is told again; nothing: it is forgotten.
  record PastUseChanged(PastUse past) implements Effect {}

  /// The wanted number of all instances of the elastic pool, present and missing ones. It replaces
  /// earlier requests.
  record ScalePool(PoolId pool, int instances) implements Effect {}

  /// The node of an elastic pool idled for too long: it gets no more work and is given back.
  record ReleaseNode(NodeId node) implements Effect {}

  /// The node gets no new work for a while because it rejected assignments.
  ///
  /// @param evidence what it rejected last, without an accepted assignment in between
  record NodeSetAside(NodeId node, Instant until, List<Rejection> evidence) implements Effect {
    public NodeSetAside {
      evidence = List.copyOf(evidence);
    }
  }
}
