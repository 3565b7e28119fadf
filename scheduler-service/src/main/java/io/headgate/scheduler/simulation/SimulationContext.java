package io.headgate.scheduler.simulation;

import io.headgate.scheduler.core.SchedulerCore;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.placement.PlacementPolicy;
import io.headgate.scheduler.simulation.SimulatedJob.Phase;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Consumer;

/// The core and the simulated world, shared by the parts of a simulation.
final class SimulationContext {
  final Scenario.Options options;
  final Consumer<SimulationEvent> out;
  final JobTable jobs = new JobTable();
  final Timeline timeline = new Timeline();
  final Meter meter = new Meter();
  final SimulatedNodes nodes;
  final SchedulerCore core;

  /// The time at which the simulation begins.
  private final Instant origin;

  /// Jobs whose reason may have changed since it was reported.
  final TreeSet<JobId> reasonsToCheck = new TreeSet<>(Comparator.comparingLong(JobId::value));

  /// Whether nodes or pools have changed since capacity was measured.
  boolean capacityChanged = true;

  /// Whether reasons are reported.
  boolean emitsReasons = true;

  SimulationContext(Scenario scenario, PlacementPolicy placement, Consumer<SimulationEvent> out) {
    this.options = scenario.options();
    this.out = out;
    this.origin = Instant.EPOCH;
    this.nodes = new SimulatedNodes(scenario.nodes(), List.of(scenario.catalog()));
    this.core = SchedulerCore.load(InitialState.of(scenario, jobs), placement);
    begin();
  }

  SimulationContext(LiveState present, Scenario.Options options, Consumer<SimulationEvent> out) {
    this.options = options;
    this.out = out;
    this.origin = present.now();
    this.nodes = new SimulatedNodes(present.state().nodes(), present.state().catalogs());
    this.core = SchedulerCore.load(present.state(), present.placement());
    present.enter(this);
    begin();
  }

  private void begin() {
    for (SimulatedJob job : jobs.all()) {
      if (job.phase == Phase.RUNNING) {
        meter.use(job.units());
        scheduleEnd(job);
      } else {
        reasonsToCheck.add(job.id);
      }
    }
  }

  /// Schedules the end of the job's attempt. An end that was due before 0s comes at 0s.
  void scheduleEnd(SimulatedJob job) {
    job.doneMs()
        .ifPresent(ms -> timeline.add(Math.max(0, ms), new Timeline.Due.Done(job.attemptId())));
    job.outOfTimeMs()
        .ifPresent(
            ms -> timeline.add(Math.max(0, ms), new Timeline.Due.OutOfTime(job.attemptId())));
  }

  /// Cancels a waiting job.
  void giveUp(SimulatedJob job, long atMs) {
    jobs.move(job, Phase.CANCELLED);
    reasonsToCheck.remove(job.id);
    out.accept(new SimulationEvent.Cancel(atMs, job.name()));
  }

  Instant instantOf(long ms) {
    return origin.plusMillis(ms);
  }

  /// The time in milliseconds from the begin.
  long msOf(Instant at) {
    return Duration.between(origin, at).toMillis();
  }
}
