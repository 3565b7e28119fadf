package io.headgate.scheduler.runtime;

import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.JobState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/// What the jobs of each queue say together, kept up with every change of a job, so that asking
/// costs in queues and not in jobs. Confined to the loop.
final class QueueTotals {
  private static final Comparator<Waiting> OLDEST_FIRST =
      Comparator.comparing(Waiting::since).thenComparingLong(waiting -> waiting.job().value());

  private final Map<Key, Sum> sums = new LinkedHashMap<>();

  /// A queue may lead to another policy later; its old jobs still count to the old one.
  private record Key(QueueId queue, String policy) {}

  private record Waiting(Instant since, JobId job) {}

  private static final class Sum {
    private long waitingUnits;
    private long usedUnits;
    private int jobs;
    private final TreeSet<Waiting> waiting = new TreeSet<>(OLDEST_FIRST);
  }

  void add(JobRecord job) {
    Sum sum = sums.computeIfAbsent(key(job), _ -> new Sum());
    sum.jobs++;
    long units = job.card().gpus().units();
    if (job.state() == JobState.WAITING) {
      sum.waitingUnits += units;
      sum.waiting.add(waiting(job));
    } else {
      sum.usedUnits += units;
    }
  }

  void remove(JobRecord job) {
    Sum sum = sums.get(key(job));
    if (sum == null) {
      return;
    }
    long units = job.card().gpus().units();
    if (job.state() == JobState.WAITING) {
      sum.waitingUnits -= units;
      sum.waiting.remove(waiting(job));
    } else {
      sum.usedUnits -= units;
    }
    if (--sum.jobs == 0) {
      sums.remove(key(job));
    }
  }

  List<LeaderView.Total> totals() {
    List<LeaderView.Total> totals = new ArrayList<>(sums.size());
    sums.forEach((key, sum) ->
        totals.add(
            new LeaderView.Total(
                key.queue(),
                key.policy(),
                sum.waitingUnits,
                sum.usedUnits,
                sum.waiting.isEmpty()
                    ? Optional.empty()
                    : Optional.of(sum.waiting.first().since()))));
    return totals;
  }

  private static Key key(JobRecord job) {
    return new Key(job.job().spec().queue(), job.card().policy());
  }

  private static Waiting waiting(JobRecord job) {
    return new Waiting(job.job().submittedAt(), job.id());
  }
}
