package io.headgate.scheduler.simulation;

import io.headgate.scheduler.core.SchedulerState;
import io.headgate.scheduler.core.job.Attempt;
import io.headgate.scheduler.core.job.Job;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.core.placement.PlacementPolicy;
import io.headgate.scheduler.simulation.Scenario.JobPlan;
import io.headgate.scheduler.simulation.SimulatedJob.Phase;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;

/// The state of a live system, from which a simulation continues.
///
/// The run times of its jobs are unknown. A job that declared a longest run time is assumed to use
/// all of it, so nothing that depends on its end comes later than that. A job without one runs on.
/// Attempts that were asked to stop before do so like all others of the simulation.
///
/// @param state of the core, of all its tenants
/// @param placement how the core chooses places
/// @param now when the state was read; 0s of the simulation
/// @param names the name of each job, unique
public record LiveState(
    SchedulerState state, PlacementPolicy placement, Instant now, Function<JobId, String> names) {

  /// Adds the jobs to a simulation whose core has loaded the state.
  void enter(SimulationContext context) {
    Map<JobId, Attempt> attempts = new HashMap<>();
    state.attempts().forEach(attempt -> attempts.put(attempt.id().job(), attempt));
    for (Job job : state.jobs()) {
      Attempt attempt = attempts.get(job.id());
      if (job.state() == JobState.WAITING || attempt != null) {
        SimulatedJob entered =
            context.jobs.add(job.id(), plan(job), context.msOf(job.submittedAt()));
        if (attempt != null) {
          run(context, entered, attempt);
        }
      }
    }
  }

  private JobPlan plan(Job job) {
    return new JobPlan(
        names.apply(job.id()),
        job.spec().queue(),
        job.spec().user(),
        job.spec().priority(),
        job.spec().preemptible(),
        job.spec().movable(),
        job.spec().maxRuntime(),
        Optional.empty(),
        Optional.empty());
  }

  private static void run(SimulationContext context, SimulatedJob job, Attempt attempt) {
    Instant since = attempt.startedAt().orElse(attempt.assignedAt());
    job.start(attempt.id().number(), attempt.assignment(), context.msOf(since));
    context.jobs.move(job, Phase.RUNNING);
    if (attempt.startedAt().isEmpty()) {
      context.timeline.add(0, new Timeline.Due.Begun(attempt.id()));
    }
    if (attempt.stop().isPresent()) {
      job.stopMs = OptionalLong.of(0);
      context.timeline.add(
          context.options.stopTime().toMillis(), new Timeline.Due.Stopped(attempt.id()));
    }
  }
}
