package io.headgate.agent.runtime.watch;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// Runs a piece of work at an interval, on a virtual thread, until it is closed. Thread-safe.
public final class PeriodicTask implements AutoCloseable {
  private final CountDownLatch closed = new CountDownLatch(1);

  /// Begins to run the work.
  ///
  /// @param work done first when the interval is over; must not throw
  public void start(String thread, Duration interval, Runnable work) {
    Thread.ofVirtual()
        .name(thread)
        .start(() -> {
          while (pause(interval)) {
            work.run();
          }
        });
  }

  /// Waits; false at the end.
  private boolean pause(Duration interval) {
    try {
      return !closed.await(interval.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /// Does not wait for work that is being done.
  @Override
  public void close() {
    closed.countDown();
  }
}
