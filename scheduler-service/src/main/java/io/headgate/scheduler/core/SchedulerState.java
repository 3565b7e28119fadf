package io.headgate.scheduler.core;

import io.headgate.scheduler.core.catalog.Catalog;
import io.headgate.scheduler.core.job.Attempt;
import io.headgate.scheduler.core.job.Hold;
import io.headgate.scheduler.core.job.Job;
import io.headgate.scheduler.core.node.Node;
import io.headgate.scheduler.core.node.NodeId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// Everything that the core knows and that is not derived; what the shell loads after a restart.
///
/// @param catalogs by tenant
/// @param nodes in any order; their status is the shell's to judge (after a take-over: SUSPECT
///   until they report)
/// @param jobs those that wait or have an attempt; others are ignored
/// @param attempts the live ones, one for each job that has one
/// @param holds as placed and not yet released
/// @param setAside nodes that get no work until a time; a shell that does not keep them passes none
/// @param nextSequence higher than any sequence ever given out; a shell that does not keep it
///   passes 0
public record SchedulerState(
    List<Catalog> catalogs,
    List<Node> nodes,
    List<Job> jobs,
    List<Attempt> attempts,
    List<Hold> holds,
    List<SetAside> setAside,
    long nextSequence) {
  public SchedulerState {
    catalogs = List.copyOf(catalogs);
    nodes = List.copyOf(nodes);
    jobs = List.copyOf(jobs);
    attempts = List.copyOf(attempts);
    holds = List.copyOf(holds);
    setAside = List.copyOf(setAside);
  }

  public static final SchedulerState EMPTY =
      new SchedulerState(List.of(), List.of(), List.of(), List.of(), List.of(), List.of(), 0);

  /// A node that rejected assignments.
  ///
  /// @param until present while it gets no work
  /// @param rejections in a row since it accepted one; each doubles the time
  public record SetAside(NodeId node, Optional<Instant> until, int rejections) {}
}
