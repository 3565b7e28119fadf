package io.headgate.scheduler.core;

import io.headgate.scheduler.core.catalog.Catalog;
import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.catalog.ProfileId;
import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.job.Attempt;
import io.headgate.scheduler.core.job.BackOff;
import io.headgate.scheduler.core.job.Hold;
import io.headgate.scheduler.core.job.Job;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.PastUse;
import io.headgate.scheduler.core.job.Rejection;
import io.headgate.scheduler.core.node.Node;
import io.headgate.scheduler.core.node.NodeId;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The underived state of the core; the shell loads it after a restart.
///
/// @param catalogs by tenant
/// @param nodes in any order; their status is the shell's to judge (after a take-over: SUSPECT
///   until they report)
/// @param jobs those that wait or have an attempt; others are ignored
/// @param attempts the live ones, one for each job that has one
/// @param holds as placed and not yet released
/// @param returning the places kept for jobs whose attempts stop because a worker was lost; a shell
///   that does not keep them passes none
/// @param setAside nodes that get no work until a time; a shell that does not keep them passes none
/// @param backOffs of jobs that nodes rejected; a shell that does not keep them passes none
/// @param asked what elastic pools were asked for; a shell that does not keep it passes none, and
///   they are asked again
/// @param instances nodes of elastic pools that idle or are given back; a shell that does not keep
///   them passes none
/// @param demand how often jobs of each profile were asked for; a shell that does not keep it
///   passes none, then the jobs tell
/// @param runTimes how long ended attempts of each queue ran; a shell that does not keep them
///   passes none
/// @param barred jobs that may not preempt by P7, P9 and P10; a shell that does not keep them
///   passes none, and they are free
/// @param pastUse of levels of rights, in pools that count it (O4), by pool
/// @param freshFrom attempts with this sequence or a higher one have started in the last decision;
///   a shell that does not keep it passes [Long#MAX_VALUE]
/// @param nextSequence higher than any sequence ever given out; a shell that does not keep it
///   passes 0
/// @param decidedAt the time of the last decision, at which past use and promoted jobs are seen; a
///   shell that does not keep it passes [Instant#MIN]
public record SchedulerState(
    List<Catalog> catalogs,
    List<Node> nodes,
    List<Job> jobs,
    List<Attempt> attempts,
    List<Hold> holds,
    List<Hold> returning,
    List<SetAside> setAside,
    List<BackedOff> backOffs,
    List<Asked> asked,
    List<Instance> instances,
    List<Demanded> demand,
    List<ObservedRuns> runTimes,
    List<Barred> barred,
    List<PastUse> pastUse,
    long freshFrom,
    long nextSequence,
    Instant decidedAt) {
  public SchedulerState {
    catalogs = List.copyOf(catalogs);
    nodes = List.copyOf(nodes);
    jobs = List.copyOf(jobs);
    attempts = List.copyOf(attempts);
    holds = List.copyOf(holds);
    returning = List.copyOf(returning);
    setAside = List.copyOf(setAside);
    backOffs = List.copyOf(backOffs);
    asked = List.copyOf(asked);
    instances = List.copyOf(instances);
    demand = List.copyOf(demand);
    runTimes = List.copyOf(runTimes);
    barred = List.copyOf(barred);
    pastUse = List.copyOf(pastUse);
  }

  public static final SchedulerState EMPTY =
      kept(List.of(), List.of(), List.of(), List.of(), List.of());

  /// The state that a shell stores; the core derives the rest.
  public static SchedulerState kept(
      List<Catalog> catalogs,
      List<Node> nodes,
      List<Job> jobs,
      List<Attempt> attempts,
      List<Hold> holds) {
    return new SchedulerState(
        catalogs,
        nodes,
        jobs,
        attempts,
        holds,
        List.of(),
        List.of(),
        List.of(),
        List.of(),
        List.of(),
        List.of(),
        List.of(),
        List.of(),
        List.of(),
        Long.MAX_VALUE,
        0,
        Instant.MIN);
  }

  /// This state, with how often users asked for jobs of each profile.
  public SchedulerState expecting(List<Demanded> demanded) {
    return new SchedulerState(
        catalogs,
        nodes,
        jobs,
        attempts,
        holds,
        returning,
        setAside,
        backOffs,
        asked,
        instances,
        demanded,
        runTimes,
        barred,
        pastUse,
        freshFrom,
        nextSequence,
        decidedAt);
  }

  /// This state, with how long ended attempts of each queue ran.
  public SchedulerState observing(List<ObservedRuns> observed) {
    return new SchedulerState(
        catalogs,
        nodes,
        jobs,
        attempts,
        holds,
        returning,
        setAside,
        backOffs,
        asked,
        instances,
        demand,
        observed,
        barred,
        pastUse,
        freshFrom,
        nextSequence,
        decidedAt);
  }

  /// This state, with the past use of levels of rights.
  public SchedulerState remembering(List<PastUse> past) {
    return new SchedulerState(
        catalogs,
        nodes,
        jobs,
        attempts,
        holds,
        returning,
        setAside,
        backOffs,
        asked,
        instances,
        demand,
        runTimes,
        barred,
        past,
        freshFrom,
        nextSequence,
        decidedAt);
  }

  /// This state, with other nodes.
  public SchedulerState on(List<Node> others) {
    return new SchedulerState(
        catalogs,
        others,
        jobs,
        attempts,
        holds,
        returning,
        setAside,
        backOffs,
        asked,
        instances,
        demand,
        runTimes,
        barred,
        pastUse,
        freshFrom,
        nextSequence,
        decidedAt);
  }

  /// The order to an elastic pool.
  ///
  /// @param instances in all
  /// @param missingSince when the first instance was asked for that has not come yet, or one left;
  ///   absent when all have come
  public record Asked(PoolId pool, int instances, Optional<Instant> missingSince) {}

  /// A node of an elastic pool.
  ///
  /// @param idleSince present while nothing is on it
  /// @param released whether it is given back
  public record Instance(NodeId node, Optional<Instant> idleSince, boolean released) {}

  /// A node that rejected assignments.
  ///
  /// @param until present while it gets no work
  /// @param times in a row since it accepted an assignment; each doubles the time
  /// @param evidence what it rejected since
  public record SetAside(
      NodeId node, Optional<Instant> until, int times, List<Rejection> evidence) {
    public SetAside {
      evidence = List.copyOf(evidence);
    }
  }

  /// A job that nodes rejected, and that has not started since.
  ///
  /// @param waits whether it waits for the end of its pause now
  public record BackedOff(JobId job, BackOff backOff, boolean waits) {}

  /// A job that lost its place by P7, P9 or P10, and waits for an outside event in that pool.
  public record Barred(JobId job, PoolId pool) {}

  /// How many jobs of a profile were asked for.
  ///
  /// @param settled by these placement knows what to expect; only their proportions matter
  /// @param recent since then
  public record Demanded(ProfileId profile, long settled, long recent) {}

  /// How long attempts of a queue ran that ended by themselves.
  ///
  /// @param runs their numbers by the bucket of [io.headgate.scheduler.core.job.RunTimes#bounds],
  ///   from 0
  public record ObservedRuns(QueueId queue, Map<Integer, Integer> runs) {
    public ObservedRuns {
      runs = Map.copyOf(runs);
    }
  }
}
