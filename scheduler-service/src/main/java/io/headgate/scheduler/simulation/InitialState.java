package io.headgate.scheduler.simulation;

import io.headgate.scheduler.core.SchedulerState;
import io.headgate.scheduler.core.catalog.Catalog;
import io.headgate.scheduler.core.catalog.Policy;
import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.Queue;
import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.job.Attempt;
import io.headgate.scheduler.core.job.Job;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.core.job.WorkerStatus;
import io.headgate.scheduler.simulation.Scenario.Running;
import io.headgate.scheduler.simulation.Scenario.Waiting;
import io.headgate.scheduler.simulation.SimulatedJob.Phase;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The state at 0s, as the core loads it.
final class InitialState {
  private final Map<QueueId, Queue> queues = new HashMap<>();
  private final Map<PolicyId, Policy> policies = new HashMap<>();
  private final List<Job> jobs = new ArrayList<>();
  private final List<Attempt> attempts = new ArrayList<>();
  private long sequence;

  private InitialState(Catalog catalog) {
    catalog.queues().forEach(queue -> queues.put(queue.id(), queue));
    catalog.policies().forEach(policy -> policies.put(policy.id(), policy));
  }

  /// @param table receives the jobs
  static SchedulerState of(Scenario scenario, JobTable table) {
    InitialState state = new InitialState(scenario.catalog());
    Map<Running, SimulatedJob> known = new HashMap<>();
    for (Running running : scenario.running()) {
      known.put(running, table.add(running.job(), -running.startedAgo().toMillis()));
    }
    // The job that has run longest was assigned first.
    List<Running> byAge = new ArrayList<>(scenario.running());
    byAge.sort(Comparator.comparing(Running::startedAgo).reversed());
    for (Running running : byAge) {
      SimulatedJob job = known.get(running);
      if (job != null) {
        state.run(table, job, running);
      }
    }
    for (Waiting waiting : scenario.waiting()) {
      for (int i = 0; i < waiting.count(); i++) {
        state.queue(table, waiting, waiting.job().nameOf(i, waiting.count()));
      }
    }
    return SchedulerState.kept(
        List.of(scenario.catalog()), scenario.nodes(), state.jobs, state.attempts, List.of());
  }

  private void run(JobTable table, SimulatedJob job, Running running) {
    long startedMs = -running.startedAgo().toMillis();
    Instant started = Instant.ofEpochMilli(startedMs);
    job.start(running.attempt(), running.place(), startedMs);
    table.move(job, Phase.RUNNING);
    jobs.add(Job.submitted(job.spec(), JobState.RUNNING, sequence++, started, running.attempt()));
    Queue queue = queue(job.plan.queue());
    Policy policy = Optional.ofNullable(policies.get(queue.policy())).orElseThrow();
    job.toldSavedMs = job.savedOfAttemptMs(0);
    attempts.add(
        new Attempt(
            job.attemptId(),
            queue.policy(),
            queue.profile(),
            running.place(),
            job.plan.preemptible().orElse(policy.preemptible()),
            sequence++,
            started,
            Optional.of(started),
            job.toldSavedMs == 0
                ? Optional.empty()
                : Optional.of(Instant.ofEpochMilli(startedMs + job.toldSavedMs)),
            Collections.nCopies(running.place().workers().size(), WorkerStatus.RUNNING),
            Optional.empty()));
  }

  private void queue(JobTable table, Waiting waiting, String name) {
    long sinceMs = -waiting.waitedSince().toMillis();
    SimulatedJob job = table.add(waiting.job().named(name), sinceMs);
    jobs.add(
        Job.submitted(job.spec(), JobState.WAITING, sequence++, Instant.ofEpochMilli(sinceMs), 0));
  }

  private Queue queue(QueueId id) {
    return Optional.ofNullable(queues.get(id))
        .orElseThrow(() -> new IllegalArgumentException("no queue " + id));
  }
}
