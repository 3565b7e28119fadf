package io.headgate.scheduler.runtime.leadership;

import io.headgate.kit.time.TimeSource;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// How long this replica may still believe that it leads, by its own monotonic clock. It counts
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

  /// @param sentNanos when the renewal was sent that has succeeded
  void renewed(long sentNanos) {
    lock.lock();
    try {
      renewedNanos = Math.max(renewedNanos, sentNanos);
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /// It is given up; nothing more is done under it.
  void end() {
    lock.lock();
    try {
      over = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /// Nobody else can lead yet.
  boolean isHeld() {
    return !over && time.monotonicNanos() - renewedNanos < lengthNanos;
  }

  /// It was renewed lately enough to act: a process that stood still for half a lease asks the
  /// database first whether it still leads.
  boolean isFresh() {
    return !over && time.monotonicNanos() - renewedNanos < lengthNanos / 2;
  }

  /// Waits until it is fresh.
  ///
  /// @return false: it is over
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

  /// Waits until it is renewed or given up, at most for the given time.
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
