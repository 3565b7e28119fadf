package io.headgate.scheduler.runtime.loop;

import io.headgate.scheduler.core.job.JobId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Jobs that look different since a version although nothing of them is stored anew: the reason why
/// they wait is not durable. Only the last ones are remembered; a watcher that missed one hears of
/// it with the next change. Thread-safe.
public final class TouchedJobs {
  private static final int KEPT = 10_000;

  private final Object lock = new Object();
  // Guarded by lock; oldest first.
  private final LinkedHashMap<JobId, Long> versions = new LinkedHashMap<>();

  public void add(Collection<JobId> jobs, long version) {
    synchronized (lock) {
      for (JobId job : jobs) {
        versions.remove(job);
        versions.put(job, version);
      }
      while (versions.size() > KEPT) {
        versions.pollFirstEntry();
      }
    }
  }

  /// Those touched after the version, up to another one.
  public List<JobId> between(long after, long upTo) {
    List<JobId> found = new ArrayList<>();
    synchronized (lock) {
      for (Map.Entry<JobId, Long> entry : versions.sequencedEntrySet().reversed()) {
        if (entry.getValue() <= after) {
          break;
        }
        if (entry.getValue() <= upTo) {
          found.add(entry.getKey());
        }
      }
    }
    return found;
  }
}
