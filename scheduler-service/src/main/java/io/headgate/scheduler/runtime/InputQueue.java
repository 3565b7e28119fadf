package io.headgate.scheduler.runtime;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// The bounded way into the loop. Submissions, which come from anybody and in any number, wait
/// behind everything else and have a bound of their own, counted in jobs: what agents and watches
/// say is heard even when users ask for more than can be had. Thread-safe.
final class InputQueue {
  private final int maxCommands;
  private final int maxJobs;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition filled = lock.newCondition();
  // All guarded by lock.
  private final Deque<Command> urgent = new ArrayDeque<>();
  private final Deque<Command.Submit> submissions = new ArrayDeque<>();
  private int waitingJobs;
  private boolean closed;

  InputQueue(int maxCommands, int maxJobs) {
    this.maxCommands = maxCommands;
    this.maxJobs = maxJobs;
  }

  /// What became of an offer.
  enum Offer {
    TAKEN,
    FULL,
    CLOSED
  }

  Offer offer(Command command) {
    lock.lock();
    try {
      if (closed) {
        return Offer.CLOSED;
      }
      if (command instanceof Command.Submit submit) {
        int jobs = submit.submission().jobs().size();
        // An empty queue takes a submission of any size, or a large batch could never pass.
        if (waitingJobs > 0 && waitingJobs + jobs > maxJobs) {
          return Offer.FULL;
        }
        waitingJobs += jobs;
        submissions.add(submit);
      } else {
        if (urgent.size() >= maxCommands) {
          return Offer.FULL;
        }
        urgent.add(command);
      }
      filled.signal();
      return Offer.TAKEN;
    } finally {
      lock.unlock();
    }
  }

  /// Waits for commands, at most for the given time, and takes them: everything urgent, then
  /// submissions of at most `batchJobs` jobs (but at least one).
  List<Command> take(long waitNanos, int batchJobs) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      long left = waitNanos;
      while (urgent.isEmpty() && submissions.isEmpty() && left > 0 && !closed) {
        left = filled.awaitNanos(left);
      }
      List<Command> taken = new ArrayList<>(urgent);
      urgent.clear();
      int jobs = 0;
      while (!submissions.isEmpty()) {
        int next = submissions.getFirst().submission().jobs().size();
        if (jobs > 0 && jobs + next > batchJobs) {
          break;
        }
        jobs += next;
        waitingJobs -= next;
        taken.add(submissions.removeFirst());
      }
      return taken;
    } finally {
      lock.unlock();
    }
  }

  /// Commands and jobs that wait.
  int size() {
    lock.lock();
    try {
      return urgent.size() + waitingJobs;
    } finally {
      lock.unlock();
    }
  }

  /// Takes nothing more; what waits can still be taken.
  void close() {
    lock.lock();
    try {
      closed = true;
      filled.signalAll();
    } finally {
      lock.unlock();
    }
  }

  static long nanosUntil(long deadlineNanos, long nowNanos) {
    return Math.clamp(deadlineNanos - nowNanos, 0L, TimeUnit.DAYS.toNanos(1));
  }
}
