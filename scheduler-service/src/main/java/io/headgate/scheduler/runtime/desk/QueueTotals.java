package io.headgate.scheduler.runtime.desk;

import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.job.JobArray;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.runtime.record.JobRecord;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The sums over the jobs of each queue, updated with every change of a job. So a query costs time
/// by the number of queues, not of jobs. Confined to the loop.
final class QueueTotals {
  private final Map<Key, Sum> sums = new LinkedHashMap<>();

  /// Looked up last: jobs come many of a queue at once.
  private @Nullable Key lastKey;

  private @Nullable Sum lastSum;

  /// A queue may lead to another policy or profile later; its old jobs still count to the old ones.
  private record Key(QueueId queue, String policy, String profile) {}

  /// Jobs that were submitted in the same second. The totals are exact to the second and not to the
  /// job, because there may be a million jobs.
  private static final class Second {
    private Instant first;
    private int jobs;

    Second(Instant first) {
      this.first = first;
    }
  }

  private static final class Sum {
    private long waitingUnits;
    private long usedUnits;
    private int jobs;
    private int waitingJobs;
    private final TreeMap<Long, Second> waiting = new TreeMap<>();

    void add(Instant since) {
      Second second = waiting.computeIfAbsent(since.getEpochSecond(), _ -> new Second(since));
      second.jobs++;
      if (since.isBefore(second.first)) {
        second.first = since;
      }
    }

    void remove(Instant since) {
      Second second = waiting.get(since.getEpochSecond());
      if (second != null && --second.jobs == 0) {
        waiting.remove(since.getEpochSecond());
      }
    }
  }

  void add(JobRecord job) {
    Sum sum = sum(key(job));
    sum.jobs++;
    long units = units(job);
    if (job.state() == JobState.WAITING) {
      sum.waitingUnits += units;
      sum.waitingJobs++;
      sum.add(job.job().submittedAt());
    } else {
      sum.usedUnits += units;
    }
  }

  void remove(JobRecord job) {
    Sum sum = sums.get(key(job));
    if (sum == null) {
      return;
    }
    long units = units(job);
    if (job.state() == JobState.WAITING) {
      sum.waitingUnits -= units;
      sum.waitingJobs--;
      sum.remove(job.job().submittedAt());
    } else {
      sum.usedUnits -= units;
    }
    if (--sum.jobs == 0) {
      sums.remove(key(job));
      lastKey = null;
    }
  }

  /// Units that the job needs; a waiting array needs those of all elements that may start.
  private static long units(JobRecord job) {
    int starts = job.job().array().map(JobArray::startable).orElse(1);
    return starts * job.metadata().gpus().units();
  }

  List<LeaderView.Total> totals() {
    List<LeaderView.Total> totals = new ArrayList<>(sums.size());
    sums.forEach((key, sum) ->
        totals.add(
            new LeaderView.Total(
                key.queue(),
                key.policy(),
                key.profile(),
                sum.waitingJobs,
                sum.jobs - sum.waitingJobs,
                sum.waitingUnits,
                sum.usedUnits,
                sum.waiting.isEmpty()
                    ? Optional.empty()
                    : Optional.of(sum.waiting.firstEntry().getValue().first))));
    return totals;
  }

  private Sum sum(Key key) {
    Sum sum = lastSum;
    if (sum == null || !key.equals(lastKey)) {
      sum = sums.computeIfAbsent(key, _ -> new Sum());
      lastKey = key;
      lastSum = sum;
    }
    return sum;
  }

  private static Key key(JobRecord job) {
    return new Key(job.job().spec().queue(), job.metadata().policy(), job.metadata().profile());
  }
}
