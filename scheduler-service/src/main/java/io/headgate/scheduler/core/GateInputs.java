package io.headgate.scheduler.core;

import io.headgate.scheduler.core.job.Dependency;
import io.headgate.scheduler.core.job.Gate;
import io.headgate.scheduler.core.job.JobEvent;
import io.headgate.scheduler.core.queue.LiveJob;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Tells waiting jobs what has happened that they waited for: the end of another job, or the time
/// of their earliest start.
///
/// A job whose dependency can no longer be met is cancelled. So is, one after the other, each job
/// further down the chain.
final class GateInputs {
  private final World world;
  private final Transitions transitions;
  private final Instant now;

  GateInputs(World world, Transitions transitions, Instant now) {
    this.world = world;
    this.transitions = transitions;
    this.now = now;
  }

  /// Opens gates, and cancels the jobs whose gates can never open.
  ///
  /// @return the jobs that take their place among the others of their queues from now on
  List<LiveJob> open() {
    List<LiveJob> opened = new ArrayList<>();
    for (Optional<Gates.Ended> ended = world.gates.next();
        ended.isPresent();
        ended = world.gates.next()) {
      for (LiveJob job : world.gates.waitingFor(ended.get().job())) {
        tell(job, ended.get(), opened);
      }
    }
    for (LiveJob due = world.gates.due(now); due != null; due = world.gates.due(now)) {
      setGate(due, Gate.OPEN);
      opened.add(due);
    }
    return opened;
  }

  private void tell(LiveJob job, Gates.Ended ended, List<LiveJob> opened) {
    for (Dependency dependency : job.gate().after()) {
      if (dependency.on().equals(ended.job()) && !dependency.isMetBy(ended.state())) {
        transitions.emit(new Effect.DependencyFailed(job.id(), dependency, ended.state()));
        transitions.dequeue(job);
        transitions.move(job, JobEvent.CANCEL);
        transitions.forgetIfUnused(job.queue());
        return;
      }
    }
    Gate rest = job.gate().without(ended.job());
    setGate(job, rest.isOpen(now) ? Gate.OPEN : rest);
    if (!job.isGated()) {
      opened.add(job);
    } else {
      transitions.emit(new Effect.JobReasonChanged(job.id(), Reasons.waiting(job.gate())));
    }
  }

  private void setGate(LiveJob job, Gate gate) {
    world.gates.remove(job);
    job.setGate(gate);
    if (!job.isGated()) {
      job.waitsSince(now);
    }
    transitions.enqueue(job);
    transitions.emit(new Effect.GateChanged(job.id(), gate, job.waitingSince()));
  }
}
