package io.headgate.scheduler.runtime.leadership;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Agents and calls that reach a replica which is elected and not ready yet. If they were turned
/// away, each would retry several times, agents with a new connection, while the new leader needs
/// its processors for loading. Agents are bounded by their streams; the endpoint bounds its waiting
/// calls. Thread-safe.
public final class TakeoverWaiters {
  private static final Logger LOG = LoggerFactory.getLogger(TakeoverWaiters.class);

  private final Object lock = new Object();
  // Guarded by lock; in order of arrival.
  private final Set<Runnable> waiting = new LinkedHashSet<>();
  private boolean isOpen;

  /// Makes agents and calls wait from now on.
  void open() {
    synchronized (lock) {
      isOpen = true;
    }
  }

  /// Whether an agent or a call would wait now.
  public boolean areDue() {
    synchronized (lock) {
      return isOpen;
    }
  }

  /// Adds a waiting agent or call.
  ///
  /// @param again runs once it is known whether this replica leads, on the thread that finds out
  /// @return false: the outcome is already known
  public boolean add(Runnable again) {
    synchronized (lock) {
      return isOpen && waiting.add(again);
    }
  }

  /// Removes a waiter that gave up; its action does not run.
  public void remove(Runnable again) {
    synchronized (lock) {
      waiting.remove(again);
    }
  }

  /// Ends the wait and runs the actions of all waiters. One that fails does not hold up the others.
  void close() {
    List<Runnable> all;
    synchronized (lock) {
      isOpen = false;
      all = new ArrayList<>(waiting);
      waiting.clear();
    }
    for (Runnable again : all) {
      try {
        again.run();
      } catch (RuntimeException e) {
        LOG.error("an agent or call that waited for the take-over failed", e);
      }
    }
  }
}
