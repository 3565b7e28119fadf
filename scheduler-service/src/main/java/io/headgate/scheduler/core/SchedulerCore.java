package io.headgate.scheduler.core;

import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.explain.Denial;
import io.headgate.scheduler.core.explain.Explanation;
import io.headgate.scheduler.core.explain.Reason;
import io.headgate.scheduler.core.job.Attempt;
import io.headgate.scheduler.core.job.Hold;
import io.headgate.scheduler.core.job.Job;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.JobSpec;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.core.usage.NodeUsage;
import io.headgate.scheduler.core.usage.PolicyUsage;
import io.headgate.scheduler.core.usage.PoolUsage;
import io.headgate.scheduler.core.usage.QueueUsage;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// The scheduler's decisions: who runs, where, on which slice of which device, who must go, and why
/// everybody else waits.
///
/// Confined to one thread, queries included: it has no locks. It is deterministic: the same inputs
/// at the same times lead to the same effects on any machine. An input that the core cannot use (a
/// late worker report, a catalog with a dangling name) never throws; an exception is a bug, after
/// which this core must be thrown away and loaded again from what was committed.
///
/// A decision takes effect in the core at once. A shell that could not commit its effects loads a
/// new core.
public final class SchedulerCore {
  private SchedulerCore() {}

  /// A core without catalog, nodes and jobs.
  public static SchedulerCore empty() {
    return load(SchedulerState.EMPTY);
  }

  /// A core that goes on from the given state. It decides nothing until it is asked to.
  ///
  /// @throws IllegalArgumentException when the state contradicts itself, for example when two
  ///   attempts have one slice
  public static SchedulerCore load(SchedulerState state) {
    throw new UnsupportedOperationException("not yet");
  }

  /// Applies the inputs in their order, then makes one pass: starts what may start, preempts what
  /// must make room, and finds the reason of whatever still waits.
  ///
  /// @param now not before that of the decision before
  public Decision decide(List<? extends Input> inputs, Instant now) {
    throw new UnsupportedOperationException("not yet");
  }

  /// Everything that is needed to go on elsewhere.
  public SchedulerState state() {
    throw new UnsupportedOperationException("not yet");
  }

  /// An independent core in the same state, for what-if.
  public SchedulerCore copy() {
    return load(state());
  }

  /// What would stand against submitting such a job; empty when it would be queued. Changes
  /// nothing.
  public Optional<Denial> check(JobSpec job) {
    throw new UnsupportedOperationException("not yet");
  }

  /// The job, if it waits or has an attempt.
  public Optional<Job> job(JobId job) {
    throw new UnsupportedOperationException("not yet");
  }

  /// The job's live attempt.
  public Optional<Attempt> attempt(JobId job) {
    throw new UnsupportedOperationException("not yet");
  }

  /// The slices that are kept for the job.
  public Optional<Hold> hold(JobId job) {
    throw new UnsupportedOperationException("not yet");
  }

  /// Why the job waits; empty when it does not.
  public Optional<Reason> reason(JobId job) {
    throw new UnsupportedOperationException("not yet");
  }

  /// The job's place in its queue; empty when it does not wait.
  public Optional<Explanation.Position> position(JobId job) {
    throw new UnsupportedOperationException("not yet");
  }

  /// The first jobs that wait in the queue, in order.
  public List<JobId> waiting(QueueId queue, int limit) {
    throw new UnsupportedOperationException("not yet");
  }

  /// Everything that can be said about the job; empty when the core does not know it.
  public Optional<Explanation> explain(JobId job) {
    throw new UnsupportedOperationException("not yet");
  }

  /// Usage of all policies, by id.
  public List<PolicyUsage> policies() {
    throw new UnsupportedOperationException("not yet");
  }

  public Optional<PolicyUsage> policy(PolicyId policy) {
    throw new UnsupportedOperationException("not yet");
  }

  /// Usage of all pools, by id.
  public List<PoolUsage> pools() {
    throw new UnsupportedOperationException("not yet");
  }

  public Optional<PoolUsage> pool(PoolId pool) {
    throw new UnsupportedOperationException("not yet");
  }

  /// Usage of all queues, by id.
  public List<QueueUsage> queues() {
    throw new UnsupportedOperationException("not yet");
  }

  public Optional<QueueUsage> queue(QueueId queue) {
    throw new UnsupportedOperationException("not yet");
  }

  /// Usage of all nodes, by id.
  public List<NodeUsage> nodes() {
    throw new UnsupportedOperationException("not yet");
  }

  public Optional<NodeUsage> node(NodeId node) {
    throw new UnsupportedOperationException("not yet");
  }
}
