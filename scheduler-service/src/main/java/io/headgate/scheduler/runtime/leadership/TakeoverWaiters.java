package io.headgate.scheduler.runtime.leadership;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/// Agents and calls that reach a replica which is elected and not ready yet. If they were turned
/// away, each would retry several times, agents with a new connection, while the new leader needs
/// its processors for loading. Agents are bounded by their streams; the endpoint bounds its waiting
/// calls. Thread-safe.
public final class TakeoverWaiters {
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

  /// Ends the wait and runs the actions of all waiters.
  void close() {
    List<Runnable> all;
    synchronized (lock) {
      isOpen = false;
      all = new ArrayList<>(waiting);
      waiting.clear();
    }
    all.forEach(Runnable::run);
  }
}
