package io.headgate.agent.runtime.attempt;

import io.headgate.agent.core.Rendezvous;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// Where a prepared worker waits until all workers of its gang are prepared, or its start is no
/// longer wanted. For any thread.
final class StartBarrier {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private @Nullable Rendezvous rendezvous; // guarded by lock

  /// Opens the barrier for good; only the first call counts.
  void open(Rendezvous known) {
    lock.lock();
    try {
      rendezvous = rendezvous == null ? known : rendezvous;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /// Lets the waiting thread look at its conditions again.
  void wake() {
    lock.lock();
    try {
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /// Waits; the limit of the wait is the scheduler's.
  ///
  /// @return empty: the start was abandoned
  Optional<Rendezvous> await(Workload.StartConditions conditions) throws InterruptedException {
    lock.lock();
    try {
      while (!conditions.isAbandoned() && rendezvous == null) {
        changed.await();
      }
      return conditions.isAbandoned() ? Optional.empty() : Optional.ofNullable(rendezvous);
    } finally {
      lock.unlock();
    }
  }
}
