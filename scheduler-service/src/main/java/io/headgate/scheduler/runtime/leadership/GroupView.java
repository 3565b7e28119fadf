package io.headgate.scheduler.runtime.leadership;

import io.headgate.kit.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// A failure detector's view of the group: the present members, and when the others left.
/// Thread-safe.
public final class GroupView {
  private final TimeSource time;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  // All guarded by lock.
  private final List<String> present = new ArrayList<>();
  private final Map<String, Long> goneSinceNanos = new HashMap<>();
  private long changes;
  private boolean closed;

  public GroupView(TimeSource time) {
    this.time = time;
  }

  /// Records the present members, oldest first. A member that was present before and is missing
  /// here counts as having left now.
  public void see(List<String> names) {
    lock.lock();
    try {
      long now = time.monotonicNanos();
      for (String name : present) {
        if (!names.contains(name)) {
          goneSinceNanos.put(name, now);
        }
      }
      goneSinceNanos.keySet().removeAll(names);
      present.clear();
      present.addAll(names);
      changes++;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  public Group group() {
    lock.lock();
    try {
      long now = time.monotonicNanos();
      Map<String, Duration> goneFor = new HashMap<>();
      goneSinceNanos.forEach((name, since) -> goneFor.put(name, Duration.ofNanos(now - since)));
      return new Group(present, goneFor);
    } finally {
      lock.unlock();
    }
  }

  /// Waits for the next [#see], at most for the given time.
  public void awaitChange(Duration atMost) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      long known = changes;
      long left = atMost.toNanos();
      while (!closed && changes == known && left > 0) {
        left = changed.awaitNanos(left);
      }
    } finally {
      lock.unlock();
    }
  }

  /// Ends all waits in [#awaitChange], now and later.
  public void close() {
    lock.lock();
    try {
      closed = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
