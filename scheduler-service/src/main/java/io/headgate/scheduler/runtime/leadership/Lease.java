package io.headgate.scheduler.runtime.leadership;

import io.headgate.kit.time.TimeSource;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// The time for which this replica may believe that it leads, by its own monotonic clock. It counts
/// from before each renewal was sent, so it ends before the lease in the database does.
/// Thread-safe.
final class Lease {
  private final TimeSource time;
  private final long lengthNanos;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private volatile long renewedNanos;
  private volatile boolean over;

  Lease(TimeSource time, Duration length, long takenNanos) {
    this.time = time;
    this.lengthNanos = length.toNanos();
    this.renewedNanos = takenNanos;
  }

  /// @param sentNanos monotonic time at which the successful renewal was sent
  void renewed(long sentNanos) {
    lock.lock();
    try {
      renewedNanos = Math.max(renewedNanos, sentNanos);
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /// Gives up the lease; no further action is taken under it.
  void end() {
    lock.lock();
    try {
      over = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /// Whether no other replica can lead yet.
  boolean isHeld() {
    return !over && time.monotonicNanos() - renewedNanos < lengthNanos;
  }

  /// Whether the last renewal is recent enough to act. A process that stood still for half a lease
  /// first asks the database whether it still leads.
  boolean isFresh() {
    return !over && time.monotonicNanos() - renewedNanos < lengthNanos / 2;
  }

  /// Waits until the lease is fresh.
  ///
  /// @return false: the lease was given up
  boolean awaitFresh() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (!over && !isFresh()) {
        changed.await(lengthNanos / 4, TimeUnit.NANOSECONDS);
      }
      return !over;
    } finally {
      lock.unlock();
    }
  }

  /// Waits until the lease is renewed or given up, at most for the given time.
  void awaitChange(Duration atMost) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      long before = renewedNanos;
      long left = atMost.toNanos();
      while (!over && renewedNanos == before && left > 0) {
        left = changed.awaitNanos(left);
      }
    } finally {
      lock.unlock();
    }
  }
}
