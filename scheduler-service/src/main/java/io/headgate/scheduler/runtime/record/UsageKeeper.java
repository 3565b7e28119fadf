package io.headgate.scheduler.runtime.record;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Sums up the ledger of usage every minute, and deletes its old parts every hour. It works in the
/// process of the leader, beside the loop, and has a thread of its own. It tries again after a
/// failure.
public final class UsageKeeper implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(UsageKeeper.class);

  private static final Duration FIRST = Duration.ofSeconds(10);
  private static final Duration PERIOD = Duration.ofMinutes(1);
  private static final int PERIODS_PER_TIDYING = 60;
  private static final Duration STOP = Duration.ofSeconds(10);

  /// Hours that are summed up at a time: after a long pause the others follow in the next ones.
  private static final int HOURS = 200;

  private final UsageStore store;
  private final UsageRetention retention;
  private final InstantSource time;
  private final LeaderTask task;
  private int periods;

  /// @param time the database's
  /// @param leading whether this process is the one to do it
  public UsageKeeper(
      UsageStore store, UsageRetention retention, InstantSource time, BooleanSupplier leading) {
    this.store = store;
    this.retention = retention;
    this.time = time;
    this.task =
        new LeaderTask("scheduler-usage", new LeaderTask.Times(FIRST, STOP), leading, this::work);
  }

  /// Begins. Call it before the process may lead.
  public void start() {
    prepare();
    task.start();
  }

  /// Before the first row of a new installation is written.
  private void prepare() {
    try {
      store.prepareWeeks(time.instant());
    } catch (RuntimeException e) {
      LOG.debug("no partitions for this week's usage yet", e);
    }
  }

  private Duration work() {
    try {
      store.sumUp(HOURS);
      if (periods++ % PERIODS_PER_TIDYING == 0) {
        Instant now = time.instant();
        store.prepareWeeks(now);
        store.forget(
            now.minus(retention.intervals()),
            now.minus(retention.hours()),
            now.minus(retention.days()));
      }
    } catch (RuntimeException e) {
      LOG.warn("usage was not summed up, trying again in a minute: {}", e.toString());
      LOG.debug("usage was not summed up", e);
    }
    return PERIOD;
  }

  /// Waits for the hour in progress.
  @Override
  public void close() {
    task.close();
  }
}
