package io.headgate.scheduler.runtime.loop;

import io.headgate.scheduler.core.job.JobId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Jobs whose view changed since a version without a stored change: the reason why a job waits is
/// not durable. Only the latest changes are remembered; a watcher that missed one sees it with the
/// job's next change. Thread-safe.
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

  /// The jobs touched after version `after`, up to `upTo`.
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
