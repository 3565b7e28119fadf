package io.headgate.scheduler.core.property;

import io.headgate.scheduler.core.Decision;
import io.headgate.scheduler.core.Effect;
import io.headgate.scheduler.core.Input;
import io.headgate.scheduler.core.SchedulerCore;
import io.headgate.scheduler.core.job.Attempt;
import io.headgate.scheduler.core.job.AttemptId;
import io.headgate.scheduler.core.job.Job;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.core.node.NodeStatus;
import io.headgate.scheduler.core.property.History.Obedience;
import io.headgate.scheduler.core.property.Scenarios.Step;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/// Plays a [History] on a new core.
///
/// Where agents obey, it does what a simulation does: what is due by itself comes first, then what
/// comes from outside; what follows without delay happens at the same instant, in further batches.
final class Player {
  /// Nothing that is played goes on for longer.
  private static final int MOST_DECISIONS = 400;

  /// Holds what was decided against something.
  interface Check {
    void decided(Step step, Decision decision, SchedulerCore core);
  }

  private final History history;
  private final Check check;
  private final SchedulerCore core;
  private final Map<JobId, Job> jobs = new HashMap<>();
  private final TreeMap<Instant, List<Input>> due = new TreeMap<>();
  private final Set<AttemptId> stopping = new HashSet<>();
  private Optional<Instant> wakeAt = Optional.empty();
  private int decisions;

  private Player(History history, Check check) {
    this.history = history;
    this.check = check;
    this.core = SchedulerCore.empty(history.placement());
  }

  static void play(History history, Check check) {
    Player player = new Player(history, check);
    if (history.obedience().isPresent()) {
      player.playObedient(history.obedience().get());
    } else {
      for (Step step : history.steps()) {
        player.decide(step.at(), step.inputs());
      }
    }
  }

  private Decision decide(Instant at, List<Input> inputs) {
    Step step = new Step(at, current(inputs));
    Decision decision = core.decide(step.inputs(), at);
    decisions++;
    wakeAt = decision.wakeAt();
    for (Effect effect : decision.effects()) {
      if (effect instanceof Effect.JobChanged(var job, var _, var _)) {
        jobs.put(job.id(), job);
      } else if (effect instanceof Effect.GateChanged(var job, var gate, var since)) {
        jobs.computeIfPresent(job, (_, known) -> known.withGate(gate, since));
      }
    }
    check.decided(step, decision, core);
    return decision;
  }

  /// Records of jobs are those of this run, not of the one in which the history was made.
  private List<Input> current(List<Input> inputs) {
    List<Input> current = new ArrayList<>();
    for (Input input : inputs) {
      switch (input) {
        case Input.JobCancelled(var job) -> {
          if (jobs.containsKey(job.id())) {
            current.add(new Input.JobCancelled(jobs.get(job.id())));
          }
        }
        case Input.JobRequeued(var job) -> {
          if (jobs.containsKey(job.id())) {
            current.add(new Input.JobRequeued(Shadow.withoutEnded(jobs.get(job.id()), jobs::get)));
          }
        }
        case Input.JobSubmitted(var spec, var gate) ->
            current.add(new Input.JobSubmitted(spec, Shadow.withoutEnded(gate, jobs::get)));
        default -> current.add(input);
      }
    }
    return current;
  }

  private void playObedient(Obedience obedience) {
    int next = 0;
    List<Step> steps = history.steps();
    while (decisions < MOST_DECISIONS) {
      Instant at = next < steps.size() ? steps.get(next).at() : Instant.MAX;
      at = due.isEmpty() || due.firstKey().isAfter(at) ? at : due.firstKey();
      at = wakeAt.isPresent() && wakeAt.get().isBefore(at) ? wakeAt.get() : at;
      if (at.equals(Instant.MAX)) {
        return;
      }
      List<Input> inputs = due(at);
      while (next < steps.size() && !steps.get(next).at().isAfter(at)) {
        inputs.addAll(fromOutside(steps.get(next++).inputs()));
      }
      if (inputs.isEmpty()) {
        inputs.add(new Input.TimePassed());
      }
      while (!inputs.isEmpty() && decisions < MOST_DECISIONS) {
        List<Input> follows = follow(decide(at, inputs), at, obedience);
        inputs = due(at);
        inputs.addAll(follows);
      }
    }
  }

  private List<Input> due(Instant at) {
    List<Input> inputs = new ArrayList<>();
    while (!due.isEmpty() && !due.firstKey().isAfter(at)) {
      for (Input input : due.pollFirstEntry().getValue()) {
        // One that was asked to stop does not end by itself.
        if (!(input instanceof Input.WorkerExited(var attempt, int _, int _))
            || !stopping.contains(attempt)) {
          inputs.add(input);
        }
      }
    }
    return inputs;
  }

  /// A machine that fails takes what runs there along.
  private List<Input> fromOutside(List<Input> inputs) {
    List<Input> all = new ArrayList<>();
    for (Input input : inputs) {
      all.add(input);
      if (input instanceof Input.NodeChanged(var node) && node.status() == NodeStatus.SUSPECT) {
        for (Attempt attempt : core.state().attempts()) {
          for (int worker = 0; worker < attempt.workers().size(); worker++) {
            if (attempt.assignment().workers().get(worker).node().equals(node.id())) {
              all.add(new Input.WorkerLost(attempt.id(), worker));
            }
          }
        }
      }
    }
    return all;
  }

  private List<Input> follow(Decision decision, Instant at, Obedience obedience) {
    List<Input> next = new ArrayList<>();
    for (Effect effect : decision.effects()) {
      switch (effect) {
        case Effect.StartAttempt(var attempt) -> {
          Duration duration = obedience.durations().get(attempt.id().job());
          for (int worker = 0; worker < attempt.workers().size(); worker++) {
            next.add(new Input.WorkerStarted(attempt.id(), worker, at));
            if (duration != null) {
              later(at.plus(duration), new Input.WorkerExited(attempt.id(), worker, 0));
            }
          }
        }
        case Effect.StopAttempt(var id, var _) -> {
          Job job = jobs.get(id.job());
          if (stopping.add(id) && job != null && job.state() == JobState.STOPPING) {
            int workers = core.attempt(id.job()).map(attempt -> attempt.workers().size()).orElse(0);
            for (int worker = 0; worker < workers; worker++) {
              later(at.plus(obedience.stopTime()), new Input.WorkerStopped(id, worker));
            }
          }
        }
        case Effect.ReleaseNode(var node) -> next.add(new Input.NodeRemoved(node));
        default -> {}
      }
    }
    return next;
  }

  private void later(Instant at, Input input) {
    due.computeIfAbsent(at, key -> new ArrayList<>()).add(input);
  }
}
