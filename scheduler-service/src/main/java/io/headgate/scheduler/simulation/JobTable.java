package io.headgate.scheduler.simulation;

import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.job.AttemptId;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.simulation.Scenario.JobPlan;
import io.headgate.scheduler.simulation.SimulatedJob.Phase;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// All jobs of a simulation, by id, name and phase.
final class JobTable {
  private final Map<JobId, SimulatedJob> jobs = new LinkedHashMap<>();
  private final Map<String, SimulatedJob> byName = new HashMap<>();
  private final Map<QueueId, Map<JobId, SimulatedJob>> waiting = new HashMap<>();
  private final Map<JobId, SimulatedJob> running = new LinkedHashMap<>();
  private final Map<JobId, SimulatedJob> neverFits = new LinkedHashMap<>();
  private final Map<Phase, Integer> counts = new EnumMap<>(Phase.class);
  private long lastId;

  /// Adds a waiting job.
  ///
  /// @throws IllegalArgumentException when the name is taken
  SimulatedJob add(JobPlan plan, long waitsSinceMs) {
    return add(new JobId(lastId + 1), plan, waitsSinceMs);
  }

  /// A new job with this id, which waits.
  ///
  /// @throws IllegalArgumentException when the name is taken
  SimulatedJob add(JobId id, JobPlan plan, long waitsSinceMs) {
    SimulatedJob job = new SimulatedJob(id, plan, waitsSinceMs);
    if (byName.putIfAbsent(plan.name(), job) != null) {
      throw new IllegalArgumentException("job " + plan.name() + " is there twice");
    }
    jobs.put(id, job);
    lastId = Math.max(lastId, id.value());
    enter(job, Phase.WAITING);
    return job;
  }

  SimulatedJob get(JobId id) {
    return Optional.ofNullable(jobs.get(id)).orElseThrow();
  }

  Optional<SimulatedJob> find(String name) {
    return Optional.ofNullable(byName.get(name));
  }

  /// @throws IllegalArgumentException when there is none
  SimulatedJob named(String name) {
    return find(name).orElseThrow(() -> new IllegalArgumentException("no job " + name));
  }

  /// The job whose live attempt this is; empty: the attempt is over.
  Optional<SimulatedJob> live(AttemptId attempt) {
    return Optional.of(get(attempt.job())).filter(job -> job.isLive(attempt));
  }

  /// All jobs, in the order in which they came.
  Collection<SimulatedJob> all() {
    return List.copyOf(jobs.values());
  }

  /// The jobs that wait in the core, in the order in which they began to wait.
  Collection<SimulatedJob> waiting(QueueId queue) {
    return waiting.getOrDefault(queue, Map.of()).values();
  }

  /// The running jobs, in the order in which they started.
  Collection<SimulatedJob> running() {
    return running.values();
  }

  /// The jobs that the core did not accept, in the order of their submission.
  Collection<SimulatedJob> neverFits() {
    return neverFits.values();
  }

  int count(Phase phase) {
    return counts.getOrDefault(phase, 0);
  }

  void move(SimulatedJob job, Phase phase) {
    counts.merge(job.phase, -1, Integer::sum);
    switch (job.phase) {
      case WAITING -> waiting.getOrDefault(job.plan.queue(), Map.of()).remove(job.id);
      case RUNNING -> running.remove(job.id);
      case NEVER_FITS -> neverFits.remove(job.id);
      case FINISHED, CANCELLED -> {}
    }
    enter(job, phase);
  }

  private void enter(SimulatedJob job, Phase phase) {
    job.phase = phase;
    counts.merge(phase, 1, Integer::sum);
    switch (phase) {
      case WAITING ->
          waiting.computeIfAbsent(job.plan.queue(), key -> new LinkedHashMap<>()).put(job.id, job);
      case RUNNING -> running.put(job.id, job);
      case NEVER_FITS -> neverFits.put(job.id, job);
      case FINISHED, CANCELLED -> {}
    }
  }
}
