package io.headgate.scheduler.core;

import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.job.AttemptId;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.JobSpec;
import io.headgate.scheduler.core.job.PreemptionRule;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.core.placement.NodeState;
import io.headgate.scheduler.core.placement.PoolState;
import io.headgate.scheduler.core.queue.LiveAttempt;
import io.headgate.scheduler.core.queue.LiveJob;
import io.headgate.scheduler.core.queue.QueueState;
import io.headgate.scheduler.core.queue.Route;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// The jobs that may not preempt by P7, P9 and P10 for now, because they lost their places by these
/// rules. Each is barred until something happens in that pool from outside. Without bars two jobs
/// with such rights could take one place from each other for ever.
///
/// | an outside event | in the pools |
/// |---|---|
/// | a submission, cancellation, requeue or withdrawal | of its queue |
/// | a worker ends that was not asked to stop | of the attempt |
/// | a node changes, leaves or is cleared | of the node |
/// | a catalog changes | all |
///
/// The passage of time, starts, checkpoints and the ends of victims are none: they follow from
/// decisions.
///
/// Bars are not stored. After a take-over every job is free: a take-over counts as an outside event
/// in all pools, and they are few.
final class Bars {
  private final World world;
  private final Map<JobId, PoolState> pools = new HashMap<>();
  private final Map<PoolState, Set<JobId>> jobs = new HashMap<>();

  Bars(World world) {
    this.world = world;
  }

  /// A job lost its place in the pool.
  void bar(JobId job, PreemptionRule rule, PoolState pool) {
    if (rule != PreemptionRule.P1) {
      restore(job, pool);
    }
  }

  /// As it was before a copy of the core was made.
  void restore(JobId job, PoolState pool) {
    PoolState before = pools.put(job, pool);
    if (before != null) {
      jobs.getOrDefault(before, new HashSet<>()).remove(job);
    }
    jobs.computeIfAbsent(pool, key -> new HashSet<>()).add(job);
  }

  boolean isBarred(LiveJob job) {
    return !pools.isEmpty() && pools.containsKey(job.id());
  }

  /// The barred jobs that the core still knows, by id.
  List<SchedulerState.Barred> all() {
    List<SchedulerState.Barred> all = new ArrayList<>();
    pools.forEach((job, pool) -> {
      if (world.jobs.containsKey(job)) {
        all.add(new SchedulerState.Barred(job, pool.id()));
      }
    });
    all.sort(Comparator.comparingLong(each -> each.job().value()));
    return all;
  }

  /// Frees the jobs that the input frees. Must be called before the input is applied.
  void lift(Input input) {
    if (pools.isEmpty()) {
      return;
    }
    switch (input) {
      case Input.CatalogChanged _ -> {
        pools.clear();
        jobs.clear();
      }
      case Input.NodeChanged(var node) -> {
        lift(node.id());
        lift(node.pool());
      }
      case Input.NodeRemoved(var node) -> lift(node);
      case Input.NodeCleared(var node) -> lift(node);
      case Input.JobSubmitted(var job, var _) -> lift(job);
      case Input.JobUpdated(var job) -> {
        LiveJob known = world.jobs.get(job.id());
        if (known != null) {
          lift(known.spec());
        }
        lift(job);
      }
      case Input.JobCancelled(var job) -> lift(job.spec());
      case Input.JobRequeued(var job) -> lift(job.spec());
      case Input.JobWithdrawn(var job) -> {
        LiveJob known = world.jobs.get(job);
        if (known != null) {
          lift(known.spec());
        }
      }
      case Input.WorkerExited exited -> liftUnasked(exited.attempt());
      case Input.WorkerStopped stopped -> liftUnasked(stopped.attempt());
      case Input.WorkerRejected rejected -> liftUnasked(rejected.attempt());
      case Input.WorkerUndelivered undelivered -> liftUnasked(undelivered.attempt());
      case Input.WorkerLost lost -> liftUnasked(lost.attempt());
      case Input.WorkerStarted _,
          Input.AttemptCheckpointed _,
          Input.WorkerSuspended _,
          Input.TimePassed _ -> {}
    }
  }

  private void lift(JobSpec job) {
    QueueState queue = world.knownQueue(job.queue());
    if (queue != null) {
      for (Route route : queue.routes()) {
        lift(route.pool());
      }
    }
  }

  private void liftUnasked(AttemptId id) {
    LiveJob job = world.jobs.get(id.job());
    LiveAttempt attempt = job == null ? null : job.attempt();
    if (attempt != null && attempt.id().equals(id) && attempt.stop() == null) {
      lift(attempt.pool());
    }
  }

  private void lift(NodeId id) {
    NodeState node = world.nodes.get(id);
    if (node != null) {
      lift(node.poolId());
    }
  }

  private void lift(PoolId id) {
    PoolState pool = world.pools.get(id);
    if (pool != null) {
      lift(pool);
    }
  }

  private void lift(PoolState pool) {
    Set<JobId> freed = jobs.remove(pool);
    if (freed != null) {
      pools.keySet().removeAll(freed);
    }
  }
}
