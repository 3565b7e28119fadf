package io.headgate.scheduler.runtime.loop;

import io.headgate.kit.time.TimeSource;
import io.headgate.scheduler.runtime.desk.Command;
import io.headgate.scheduler.runtime.submission.Submission.NewJob;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongConsumer;

/// The bounded queue into the loop. Submissions come from users, in any number. So they wait behind
/// every other command and have a bound of their own, counted in jobs. Agents and watches are thus
/// heard even when users overload the scheduler.
///
/// Callers take turns, so that a caller with many submissions delays another one by one submission
/// and not by all. A [large][#LARGE] batch takes long to store. So it has a transaction of its own,
/// and by turns with all small submissions that wait. Thread-safe.
public final class InputQueue {
  /// Jobs of a batch that gets a transaction of its own.
  static final int LARGE = 250;

  private final int maxCommands;
  private final int maxJobs;
  private final TimeSource time;
  private final LongConsumer delayed;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition filled = lock.newCondition();
  // All guarded by lock.
  private final Deque<Waiting<Command>> urgent = new ArrayDeque<>();
  private final CallersInTurn<Waiting<Command.Submit>> small = new CallersInTurn<>();
  private final CallersInTurn<Waiting<Command.Submit>> large = new CallersInTurn<>();
  private boolean isLargeNext;
  private int waitingJobs;
  private boolean closed;

  /// @param delayed receives the wait of each command, in nanoseconds
  public InputQueue(int maxCommands, int maxJobs, TimeSource time, LongConsumer delayed) {
    this.maxCommands = maxCommands;
    this.maxJobs = maxJobs;
    this.time = time;
    this.delayed = delayed;
  }

  private record Waiting<C>(C command, long sinceNanos) {}

  /// The result of an offer.
  public enum Offer {
    TAKEN,
    FULL,
    CLOSED
  }

  public Offer offer(Command command) {
    lock.lock();
    try {
      if (closed) {
        return Offer.CLOSED;
      }
      if (command instanceof Command.Submit submit) {
        int jobs = jobs(submit);
        // An empty queue takes a submission of any size; otherwise a large batch could never pass.
        if (waitingJobs > 0 && waitingJobs + jobs > maxJobs) {
          return Offer.FULL;
        }
        waitingJobs += jobs;
        (isLarge(submit) ? large : small)
            .add(caller(submit), new Waiting<>(submit, time.monotonicNanos()));
      } else {
        if (urgent.size() >= maxCommands && !isUnbounded(command)) {
          return Offer.FULL;
        }
        urgent.add(new Waiting<>(command, time.monotonicNanos()));
      }
      filled.signal();
      return Offer.TAKEN;
    } finally {
      lock.unlock();
    }
  }

  /// Whether the command is exempt from the bound, because no sender would repeat it. The leader
  /// itself sends such commands from other threads: at most the assignments being handed over, and
  /// one page of jobs. The ends of sessions number at most twice the Hellos that were taken.
  private static boolean isUnbounded(Command command) {
    return command instanceof Command.Barred
        || command instanceof Command.Undelivered
        || command instanceof Command.Judged
        || command instanceof Command.SessionEnded;
  }

  /// Waits for commands, at most for the given time, and takes them: everything urgent, then
  /// submissions of at most `batchJobs` jobs (but at least one).
  public List<Command> take(long waitNanos, int batchJobs) throws InterruptedException {
    List<Waiting<? extends Command>> taken = takeWaiting(waitNanos, batchJobs);
    long now = time.monotonicNanos();
    List<Command> commands = new ArrayList<>(taken.size());
    for (Waiting<? extends Command> each : taken) {
      delayed.accept(now - each.sinceNanos());
      commands.add(each.command());
    }
    return commands;
  }

  private List<Waiting<? extends Command>> takeWaiting(long waitNanos, int batchJobs)
      throws InterruptedException {
    lock.lockInterruptibly();
    try {
      long left = waitNanos;
      while (urgent.isEmpty() && small.isEmpty() && large.isEmpty() && left > 0 && !closed) {
        left = filled.awaitNanos(left);
      }
      List<Waiting<? extends Command>> taken = new ArrayList<>(urgent);
      urgent.clear();
      if (large.isEmpty() || (!small.isEmpty() && !isLargeNext)) {
        takeSmall(taken, batchJobs);
        isLargeNext = true;
      } else {
        large.take(_ -> true).ifPresent(submit -> take(taken, submit));
        isLargeNext = false;
      }
      return taken;
    } finally {
      lock.unlock();
    }
  }

  private void takeSmall(List<Waiting<? extends Command>> taken, int batchJobs) {
    int[] left = {batchJobs};
    while (true) {
      boolean isFirst = left[0] == batchJobs;
      Optional<Waiting<Command.Submit>> next =
          small.take(submit -> isFirst || jobs(submit.command()) <= left[0]);
      if (next.isEmpty()) {
        return;
      }
      left[0] -= jobs(next.get().command());
      take(taken, next.get());
    }
  }

  private void take(List<Waiting<? extends Command>> taken, Waiting<Command.Submit> submit) {
    waitingJobs -= jobs(submit.command());
    taken.add(submit);
  }

  private static int jobs(Command.Submit submit) {
    return submit.submission().jobs().size();
  }

  private static boolean isLarge(Command.Submit submit) {
    return jobs(submit) >= LARGE;
  }

  private static String caller(Command.Submit submit) {
    NewJob job = submit.submission().jobs().getFirst();
    return job.name().tenant() + " " + job.submitter();
  }

  /// The number of waiting commands and jobs.
  public int size() {
    lock.lock();
    try {
      return urgent.size() + waitingJobs;
    } finally {
      lock.unlock();
    }
  }

  /// Accepts no more commands; the loop may still take the waiting ones.
  public void close() {
    lock.lock();
    try {
      closed = true;
      filled.signalAll();
    } finally {
      lock.unlock();
    }
  }

  public static long nanosUntil(long deadlineNanos, long nowNanos) {
    return Math.clamp(deadlineNanos - nowNanos, 0L, TimeUnit.DAYS.toNanos(1));
  }
}
