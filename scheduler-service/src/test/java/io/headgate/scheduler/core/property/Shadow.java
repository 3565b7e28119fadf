package io.headgate.scheduler.core.property;

import io.headgate.scheduler.core.Effect;
import io.headgate.scheduler.core.Input;
import io.headgate.scheduler.core.SchedulerState;
import io.headgate.scheduler.core.SchedulerState.SetAside;
import io.headgate.scheduler.core.catalog.Catalog;
import io.headgate.scheduler.core.job.Attempt;
import io.headgate.scheduler.core.job.AttemptId;
import io.headgate.scheduler.core.job.Hold;
import io.headgate.scheduler.core.job.Job;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.core.node.Node;
import io.headgate.scheduler.core.node.NodeId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// What a shell would have in its database: built from inputs and effects alone.
final class Shadow {
  Catalog catalog;
  final TreeMap<NodeId, Node> nodes = new TreeMap<>();
  final Map<NodeId, Instant> aside = new LinkedHashMap<>();
  final Map<JobId, Job> jobs = new LinkedHashMap<>();
  final Map<AttemptId, Attempt> attempts = new LinkedHashMap<>();
  final Map<JobId, Hold> holds = new LinkedHashMap<>();

  Shadow(Catalog catalog) {
    this.catalog = catalog;
  }

  void apply(Input input) {
    switch (input) {
      case Input.CatalogChanged(var changed) -> catalog = changed;
      case Input.NodeChanged(var node) -> nodes.put(node.id(), node);
      case Input.NodeRemoved(var node) -> nodes.remove(node);
      default -> {}
    }
  }

  void apply(Effect effect) {
    switch (effect) {
      case Effect.JobChanged(var job, var _, var _) -> jobs.put(job.id(), job);
      case Effect.StartAttempt(var attempt) -> attempts.put(attempt.id(), attempt);
      case Effect.AttemptChanged(var attempt) -> attempts.put(attempt.id(), attempt);
      case Effect.StopAttempt(var id, var order) ->
          attempts.computeIfPresent(
              id,
              (key, a) ->
                  new Attempt(
                      a.id(),
                      a.policy(),
                      a.profile(),
                      a.assignment(),
                      a.preemptible(),
                      a.sequence(),
                      a.assignedAt(),
                      a.startedAt(),
                      a.checkpointAt(),
                      a.workers(),
                      Optional.of(order)));
      case Effect.AttemptEnded(var attempt, var _) -> attempts.remove(attempt.id());
      case Effect.HoldPlaced(var hold) -> holds.put(hold.job(), hold);
      case Effect.HoldReleased(var job, var _) -> holds.remove(job);
      case Effect.NodeSetAside _, Effect.LaneReasonChanged _, Effect.JobReasonChanged _ -> {}
    }
  }

  /// A shell does not keep which nodes are set aside; the core says it.
  void setAside(SchedulerState core) {
    aside.clear();
    for (SetAside each : core.setAside()) {
      each.until().ifPresent(until -> aside.put(each.node(), until));
    }
  }

  List<Job> live() {
    List<Job> live = new ArrayList<>();
    for (Job job : jobs.values()) {
      if (job.state() == JobState.WAITING || job.state().hasAttempt()) {
        live.add(job);
      }
    }
    live.sort(Comparator.comparingLong(Job::sequence));
    return live;
  }

  Optional<Attempt> attempt(JobId job) {
    return attempts.values().stream().filter(attempt -> attempt.id().job().equals(job)).findAny();
  }

  /// To be equal to the core's, as far as a shell keeps it.
  SchedulerState state(SchedulerState core) {
    List<Attempt> ordered = new ArrayList<>(attempts.values());
    List<Job> live = live();
    Map<JobId, Integer> place = new LinkedHashMap<>();
    for (Job job : live) {
      place.put(job.id(), place.size());
    }
    ordered.sort(Comparator.comparing(attempt -> place.getOrDefault(attempt.id().job(), -1)));
    return new SchedulerState(
        List.of(catalog),
        List.copyOf(nodes.values()),
        live,
        ordered,
        List.copyOf(holds.values()),
        core.setAside(),
        core.nextSequence());
  }
}
