package io.headgate.scheduler.runtime.record;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Work of the leader's process beside its loop: again and again, with pauses, on a thread of its
/// own. While the process does not lead, the task looks again after its idle pause.
public final class LeaderTask implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LeaderTask.class);

  private final Times times;
  private final BooleanSupplier leading;
  private final Supplier<Duration> work;
  private final CountDownLatch closed = new CountDownLatch(1);
  private final Thread thread;

  /// The times of a task.
  ///
  /// @param idle pause before the first work, and while this process does not lead
  /// @param stop for how long closing waits for the work in progress
  public record Times(Duration idle, Duration stop) {}

  /// A task that waits for [#start].
  ///
  /// @param name of its thread
  /// @param leading whether this process is the one to work
  /// @param work answers the pause until it is done again; throws nothing
  public LeaderTask(String name, Times times, BooleanSupplier leading, Supplier<Duration> work) {
    this.times = times;
    this.leading = leading;
    this.work = work;
    this.thread = Thread.ofVirtual().name(name).unstarted(this::run);
  }

  public void start() {
    thread.start();
  }

  private void run() {
    try {
      Duration pause = times.idle();
      while (!closed.await(pause.toMillis(), TimeUnit.MILLISECONDS)) {
        pause = leading.getAsBoolean() ? work.get() : times.idle();
      }
    } catch (InterruptedException e) {
      LOG.debug("{} was stopped", thread.getName(), e);
    }
  }

  /// Whether long work may go on with its next part.
  public boolean mayGoOn() {
    return closed.getCount() > 0 && leading.getAsBoolean();
  }

  /// Waits for the work in progress.
  @Override
  public void close() {
    closed.countDown();
    try {
      if (thread.getState() != Thread.State.NEW && !thread.join(times.stop())) {
        LOG.warn("{} did not stop within {}", thread.getName(), times.stop());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
