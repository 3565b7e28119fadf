package io.headgate.scheduler.runtime.record;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Deletes jobs and events that are older than the retention. It runs soon after this process
/// becomes leader, then every hour, in small portions that do not delay other transactions. Has a
/// thread of its own; a failed deletion is tried again the next time.
public final class HistoryKeeper implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(HistoryKeeper.class);

  private static final Duration FIRST = Duration.ofSeconds(10);
  private static final Duration PERIOD = Duration.ofHours(1);
  private static final Duration STOP = Duration.ofSeconds(10);
  private static final int PORTION = 500;

  private final HistoryStore store;
  private final Retention retention;
  private final InstantSource time;
  private final LeaderTask task;

  /// @param time the database's, like the times at which jobs ended
  /// @param leading whether this process is the one to do it
  public HistoryKeeper(
      HistoryStore store, Retention retention, InstantSource time, BooleanSupplier leading) {
    this.store = store;
    this.retention = retention;
    this.time = time;
    this.task =
        new LeaderTask("scheduler-history", new LeaderTask.Times(FIRST, STOP), leading, this::tidy);
  }

  /// Begins. Call it before the process may lead.
  public void start() {
    prepare();
    task.start();
  }

  /// Before the first event of a new installation is written.
  private void prepare() {
    try {
      store.prepareWeeks(time.instant());
    } catch (RuntimeException e) {
      LOG.debug("no partition for this week's events yet", e);
    }
  }

  private Duration tidy() {
    try {
      int jobs = tidyNow();
      if (jobs > 0) {
        LOG.info("deleted {} jobs that ended more than {} ago", jobs, retention.keep());
      }
    } catch (RuntimeException e) {
      LOG.warn("old jobs and events were not deleted, trying again in an hour: {}", e.toString());
      LOG.debug("old jobs and events were not deleted", e);
    }
    return PERIOD;
  }

  /// Does all of it once, in the caller's thread.
  ///
  /// @return how many jobs were forgotten
  public int tidyNow() {
    Instant now = time.instant();
    Instant before = retention.horizon(now);
    store.prepareWeeks(now);
    int jobs = 0;
    int portion = PORTION;
    while (portion == PORTION && task.mayGoOn()) {
      portion = store.forgetJobs(before, PORTION);
      jobs += portion;
    }
    portion = PORTION;
    while (portion == PORTION && task.mayGoOn()) {
      portion = store.forgetEvents(before, PORTION);
    }
    return jobs;
  }

  /// Waits for the portion in progress.
  @Override
  public void close() {
    task.close();
  }
}
