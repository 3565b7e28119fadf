package io.headgate.scheduler.core;

import io.headgate.scheduler.core.job.Dependency;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.core.queue.LiveJob;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// The waiting jobs behind their gates, by the jobs and times that they wait for; and the jobs that
/// have ended without these having been told yet.
final class Gates {
  /// The jobs that wait for each job, by their places. Only looked up in.
  private final Map<JobId, TreeSet<LiveJob>> dependents = new HashMap<>();

  /// The jobs with an earliest start that wait for nothing else, by that time.
  private final TreeSet<LiveJob> timed =
      new TreeSet<>(
          Comparator.comparing((LiveJob job) -> job.gate().notBefore().orElseThrow())
              .thenComparingLong(LiveJob::sequence)
              .thenComparingLong(job -> job.id().value()));

  private final Deque<Ended> untold = new ArrayDeque<>();

  /// How the jobs of this decision ended: a job may be submitted after the end of one that it waits
  /// for.
  private final Map<JobId, JobState> endedNow = new HashMap<>();

  /// A job that has ended, and how.
  record Ended(JobId job, JobState state) {}

  /// A decision begins.
  void begin() {
    endedNow.clear();
  }

  /// How the job ended in this decision; null: it did not.
  @Nullable JobState endedNow(JobId job) {
    return endedNow.get(job);
  }

  void ended(JobId job, JobState state) {
    endedNow.put(job, state);
    if (dependents.containsKey(job)) {
      untold.add(new Ended(job, state));
    }
  }

  /// A job that ended in this decision has been queued anew.
  void queuedAnew(JobId job) {
    endedNow.remove(job);
  }

  /// The next job that has ended while others wait for it; empty: all were told.
  Optional<Ended> next() {
    return Optional.ofNullable(untold.poll());
  }

  void add(LiveJob job) {
    job.queue().gated().add(job);
    for (Dependency dependency : job.gate().after()) {
      dependents
          .computeIfAbsent(
              dependency.on(),
              _ ->
                  new TreeSet<>(
                      Comparator.comparingLong(LiveJob::sequence)
                          .thenComparingLong(each -> each.id().value())))
          .add(job);
    }
    if (job.gate().after().isEmpty()) {
      timed.add(job);
    }
  }

  /// Its gate is still the one with which it was added.
  void remove(LiveJob job) {
    job.queue().gated().remove(job);
    for (Dependency dependency : job.gate().after()) {
      TreeSet<LiveJob> waiting = dependents.get(dependency.on());
      if (waiting != null && waiting.remove(job) && waiting.isEmpty()) {
        dependents.remove(dependency.on());
      }
    }
    if (job.gate().after().isEmpty()) {
      timed.remove(job);
    }
  }

  /// The jobs that wait for the job, by their places.
  List<LiveJob> waitingFor(JobId job) {
    TreeSet<LiveJob> waiting = dependents.get(job);
    return waiting == null ? List.of() : new ArrayList<>(waiting);
  }

  /// The first job whose earliest start has come; null: none.
  @Nullable LiveJob due(Instant now) {
    return timed.isEmpty() || timed.first().gate().notBefore().orElseThrow().isAfter(now)
        ? null
        : timed.first();
  }

  /// When the next job's earliest start comes.
  Optional<Instant> nextDue() {
    return timed.isEmpty() ? Optional.empty() : timed.first().gate().notBefore();
  }
}
