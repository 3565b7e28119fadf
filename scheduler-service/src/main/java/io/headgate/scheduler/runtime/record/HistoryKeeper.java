package io.headgate.scheduler.runtime.record;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
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
  private final BooleanSupplier leading;
  private final CountDownLatch closed = new CountDownLatch(1);
  private final Thread thread;

  /// @param time the database's, like the times at which jobs ended
  /// @param leading whether this process is the one to do it
  public HistoryKeeper(
      HistoryStore store, Retention retention, InstantSource time, BooleanSupplier leading) {
    this.store = store;
    this.retention = retention;
    this.time = time;
    this.leading = leading;
    this.thread = Thread.ofVirtual().name("scheduler-history").unstarted(this::run);
  }

  public void start() {
    thread.start();
  }

  private void run() {
    try {
      prepare();
      Duration pause = FIRST;
      while (!closed.await(pause.toMillis(), TimeUnit.MILLISECONDS)) {
        pause = FIRST;
        if (leading.getAsBoolean()) {
          tidy();
          pause = PERIOD;
        }
      }
    } catch (InterruptedException e) {
      LOG.debug("stopped while deleting old history", e);
    }
  }

  /// Before the first event of a new installation is written.
  private void prepare() {
    try {
      store.prepareWeeks(time.instant());
    } catch (RuntimeException e) {
      LOG.debug("no partition for this week's events yet", e);
    }
  }

  private void tidy() {
    try {
      int jobs = tidyNow();
      if (jobs > 0) {
        LOG.info("deleted {} jobs that ended more than {} ago", jobs, retention.keep());
      }
    } catch (RuntimeException e) {
      LOG.warn("old jobs and events were not deleted, trying again in an hour: {}", e.toString());
      LOG.debug("old jobs and events were not deleted", e);
    }
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
    while (portion == PORTION && mayGoOn()) {
      portion = store.forgetJobs(before, PORTION);
      jobs += portion;
    }
    portion = PORTION;
    while (portion == PORTION && mayGoOn()) {
      portion = store.forgetEvents(before, PORTION);
    }
    return jobs;
  }

  private boolean mayGoOn() {
    return closed.getCount() > 0 && leading.getAsBoolean();
  }

  /// Waits for the portion in progress.
  @Override
  public void close() {
    closed.countDown();
    try {
      if (thread.getState() != Thread.State.NEW && !thread.join(STOP)) {
        LOG.warn("deleting old history did not stop within {}", STOP);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
