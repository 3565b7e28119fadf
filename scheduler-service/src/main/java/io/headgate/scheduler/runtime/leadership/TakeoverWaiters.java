package io.headgate.scheduler.runtime.leadership;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/// Agents and calls that come to a replica which has been elected and is not ready yet. To send
/// them away would have each come back several times, agents with a new connection, while the new
/// leader needs its processors to load. There are never more agents than streams; who lets calls
/// wait bounds them. Thread-safe.
public final class TakeoverWaiters {
  private final Object lock = new Object();
  // Guarded by lock; in the order in which they came.
  private final Set<Runnable> waiting = new LinkedHashSet<>();
  private boolean isOpen;

  /// Who comes from now on waits.
  void open() {
    synchronized (lock) {
      isOpen = true;
    }
  }

  /// Whether somebody who comes now would wait.
  public boolean areDue() {
    synchronized (lock) {
      return isOpen;
    }
  }

  /// An agent or a call comes.
  ///
  /// @param again is run once it is known whether this replica leads, on the thread that finds out
  /// @return false: that is known already
  public boolean add(Runnable again) {
    synchronized (lock) {
      return isOpen && waiting.add(again);
    }
  }

  /// It left: it need not be run any more.
  public void remove(Runnable again) {
    synchronized (lock) {
      waiting.remove(again);
    }
  }

  /// Nobody waits any more; runs those that did.
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
