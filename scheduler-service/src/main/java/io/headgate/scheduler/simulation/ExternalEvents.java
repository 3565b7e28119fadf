package io.headgate.scheduler.simulation;

import io.headgate.scheduler.core.Input;
import io.headgate.scheduler.core.job.Job;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.core.node.Node;
import io.headgate.scheduler.simulation.SimulatedJob.Phase;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/// Inputs to the core from outside: jobs end, attempts obey, and the scenario's events occur.
final class ExternalEvents {
  private final SimulationContext context;
  private final List<Scenario.Event> events;
  private int nextEvent;

  ExternalEvents(SimulationContext context, List<Scenario.Event> events) {
    this.context = context;
    this.events = events;
  }

  /// The time of the next event; empty: there is none.
  OptionalLong next() {
    OptionalLong next = context.timeline.next();
    if (nextEvent == events.size()) {
      return next;
    }
    long scripted = events.get(nextEvent).at().toMillis();
    return OptionalLong.of(Math.min(next.orElse(scripted), scripted));
  }

  boolean nextEventIsAt(long atMs) {
    return nextEvent < events.size() && events.get(nextEvent).at().toMillis() == atMs;
  }

  /// The inputs that the timeline has due up to a time, without the scenario's events.
  List<Input> due(long atMs) {
    List<Input> inputs = new ArrayList<>();
    while (context.timeline.next().isPresent() && context.timeline.next().getAsLong() <= atMs) {
      switch (context.timeline.take()) {
        case Timeline.Due.Done(var attempt) ->
            context
                .jobs
                .live(attempt)
                .filter(job -> job.stopMs.isEmpty())
                .ifPresent(job -> exit(job, 0, inputs));
        case Timeline.Due.OutOfTime(var attempt) ->
            context
                .jobs
                .live(attempt)
                .filter(job -> job.stopMs.isEmpty())
                .ifPresent(job -> exit(job, 1, inputs));
        case Timeline.Due.Begun(var attempt) ->
            context.jobs.live(attempt).ifPresent(job -> begin(job, atMs, inputs));
        case Timeline.Due.Joined(var node) ->
            context.nodes.join(node).ifPresent(joined -> join(joined, atMs, inputs));
        case Timeline.Due.Stopped(var attempt) ->
            context
                .jobs
                .live(attempt)
                .ifPresent(job -> {
                  for (int worker = 0; worker < job.workers().size(); worker++) {
                    inputs.add(new Input.WorkerStopped(attempt, worker));
                  }
                  if (job.isBarred) {
                    inputs.add(new Input.JobWithdrawn(job.id));
                  }
                });
      }
    }
    if (!inputs.isEmpty()) {
      inputs.addAll(0, checkpoints(atMs));
    }
    return inputs;
  }

  private void join(Node node, long atMs, List<Input> inputs) {
    context.capacityChanged = true;
    context.out.accept(new SimulationEvent.Join(atMs, node.pool().name(), node.id().name()));
    inputs.add(new Input.NodeChanged(node));
  }

  private void begin(SimulatedJob job, long atMs, List<Input> inputs) {
    for (int worker = 0; worker < job.workers().size(); worker++) {
      inputs.add(new Input.WorkerStarted(job.attemptId(), worker, context.instantOf(atMs)));
    }
  }

  private static void exit(SimulatedJob job, int code, List<Input> inputs) {
    for (int worker = 0; worker < job.workers().size(); worker++) {
      inputs.add(new Input.WorkerExited(job.attemptId(), worker, code));
    }
  }

  /// The scenario's events at this time, after the checkpoints that the core should know by then.
  List<Input> scripted(long atMs) {
    List<Input> inputs = new ArrayList<>();
    if (!nextEventIsAt(atMs)) {
      return inputs;
    }
    inputs.addAll(checkpoints(atMs));
    int retryAt = -1;
    while (nextEventIsAt(atMs)) {
      switch (events.get(nextEvent++).action()) {
        case Scenario.Action.Submit(var plan, int count) -> {
          for (int i = 0; i < count; i++) {
            SimulatedJob job = context.jobs.add(plan.named(plan.nameOf(i, count)), atMs);
            inputs.add(new Input.JobSubmitted(job.spec()));
          }
        }
        case Scenario.Action.Cancel(String name) -> cancel(context.jobs.named(name), atMs, inputs);
        case Scenario.Action.NodeDown(var node) -> {
          inputs.addAll(context.nodes.down(node, context.jobs));
          retryAt = inputs.size();
        }
        case Scenario.Action.NodeUp(var node) -> {
          inputs.addAll(context.nodes.up(node));
          retryAt = inputs.size();
        }
        case Scenario.Action.Withdraw(String name) ->
            inputs.add(new Input.JobWithdrawn(context.jobs.named(name).id));
        case Scenario.Action.Bar(String name) -> context.jobs.named(name).isBarred = true;
        case Scenario.Action.Provision(var catalog) -> {
          context.nodes.provision(catalog);
          inputs.add(new Input.CatalogChanged(catalog));
          retryAt = inputs.size();
        }
      }
    }
    if (retryAt >= 0) {
      context.capacityChanged = true;
      inputs.addAll(retryAt, retries());
    }
    return inputs;
  }

  /// Reports of checkpoints since the last report, so that the core knows the work that a stop
  /// would lose.
  private List<Input> checkpoints(long atMs) {
    List<Input> inputs = new ArrayList<>();
    for (SimulatedJob job : context.jobs.running()) {
      long savedMs = job.plan.checkpoint().isPresent() ? job.savedOfAttemptMs(atMs) : 0;
      if (savedMs > job.toldSavedMs && job.stopMs.isEmpty()) {
        job.toldSavedMs = savedMs;
        inputs.add(
            new Input.AttemptCheckpointed(
                job.attemptId(), context.instantOf(job.startedMs + savedMs)));
      }
    }
    return inputs;
  }

  /// Jobs that the core refused are offered again whenever machines or rights change.
  private List<Input> retries() {
    List<Input> inputs = new ArrayList<>();
    for (SimulatedJob job : List.copyOf(context.jobs.neverFits())) {
      context.jobs.move(job, Phase.WAITING);
      inputs.add(new Input.JobSubmitted(job.spec()));
    }
    return inputs;
  }

  private void cancel(SimulatedJob job, long atMs, List<Input> inputs) {
    if (job.phase == Phase.NEVER_FITS) {
      context.giveUp(job, atMs);
    } else {
      // The core reads the record only of a job that it does not know.
      inputs.add(
          new Input.JobCancelled(
              Job.submitted(
                  job.spec(),
                  JobState.WAITING,
                  0,
                  context.instantOf(job.waitsSinceMs),
                  job.attempt)));
    }
  }
}
