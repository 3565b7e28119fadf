package io.headgate.scheduler.runtime.leadership;

import io.headgate.kit.time.TimeSource;
import io.headgate.scheduler.runtime.desk.LoopSettings;
import io.headgate.scheduler.runtime.loop.LeaderPorts;
import io.headgate.scheduler.runtime.record.Batch;
import io.headgate.scheduler.runtime.record.CommitResult;
import io.headgate.scheduler.runtime.record.Leadership;
import io.headgate.scheduler.runtime.record.SchedulerStore;
import io.headgate.scheduler.runtime.record.SchedulerStore.Row;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Renews the lease of a new leader while it loads, which may take longer than a lease. A busy
/// leader must not look like a dead one. After [#end], [Commits] renews the lease.
final class LoadingLease {
  private static final Logger LOG = LoggerFactory.getLogger(LoadingLease.class);

  private final SchedulerStore store;
  private final Row taken;
  private final Lease lease;
  private final Duration length;
  private final Duration interval;
  private final TimeSource time;
  private final CountDownLatch closed = new CountDownLatch(1);
  private final Thread thread;
  private volatile @Nullable Leadership successor;

  /// @param taken the row as this replica took it; no other replica changes it while this one leads
  LoadingLease(Row taken, Lease lease, LoopSettings settings, LeaderPorts ports) {
    this.store = ports.store();
    this.time = ports.time();
    this.taken = taken;
    this.lease = lease;
    this.length = settings.lease();
    this.interval = settings.renewal();
    this.thread = Thread.ofPlatform().name("scheduler-loading").daemon().unstarted(this::run);
  }

  LoadingLease start() {
    thread.start();
    return this;
  }

  private void run() {
    try {
      while (!closed.await(interval.toNanos(), TimeUnit.NANOSECONDS)) {
        long sent = time.monotonicNanos();
        if (!answered(store.commit(taken.leadership(), length, renewal()), sent)) {
          return;
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      LOG.warn("the lease is not renewed any more while loading", e);
    }
  }

  /// The batch that renews the lease.
  Batch renewal() {
    return Batch.renewal(taken.lastBatch(), taken.version());
  }

  /// Takes the database's answer to a renewal.
  ///
  /// @param sent monotonic time, in nanoseconds, at which the renewal was sent
  /// @return false: this replica was deposed, so renewals stop
  boolean answered(CommitResult result, long sent) {
    switch (result) {
      case CommitResult.Committed() -> lease.renewed(sent);
      case CommitResult.Deposed(Leadership now) -> {
        successor = now;
        return false;
      }
      case CommitResult.Unknown(Exception cause) ->
          LOG.warn("the lease could not be renewed while loading: {}", cause.toString());
    }
    return true;
  }

  /// The leadership that deposed this one while it loaded.
  Optional<Leadership> successor() {
    return Optional.ofNullable(successor);
  }

  /// Stops the renewals; none is in flight once this returns.
  void end() throws InterruptedException {
    closed.countDown();
    thread.join();
  }
}
