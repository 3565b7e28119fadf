package io.headgate.scheduler;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;

/// When calls begin: when they are due, or when those before them have ended.
final class LoadLoops {
  private static final double NANOS_PER_SECOND = 1e9;

  private LoadLoops() {}

  /// A call of an open loop.
  interface Due {
    /// @param due the nanosecond at which the call was to begin
    void run(int number, long due);
  }

  /// Begins calls at even distances, whatever becomes of those before.
  static void open(int rate, int calls, Due call) {
    long begun = System.nanoTime();
    for (int i = 0; i < calls; i++) {
      long due = begun + (long) (i * NANOS_PER_SECOND / rate);
      for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
        LockSupport.parkNanos(left);
      }
      call.run(i, due);
    }
  }

  /// Begins a call as soon as the one before it has ended, in each client.
  ///
  /// @return calls a second
  static double closed(int clients, int seconds, IntConsumer call) {
    long begun = System.nanoTime();
    long end = begun + TimeUnit.SECONDS.toNanos(seconds);
    AtomicLong done = new AtomicLong();
    each(
        clients,
        client -> {
          while (System.nanoTime() < end) {
            call.accept(client);
            done.incrementAndGet();
          }
        });
    return done.get() / ((System.nanoTime() - begun) / NANOS_PER_SECOND);
  }

  /// Runs the work of this many clients in parallel, until all are done.
  static void each(int clients, IntConsumer work) {
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < clients; i++) {
      int client = i;
      threads.add(Thread.ofVirtual().start(() -> work.accept(client)));
    }
    for (Thread thread : threads) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("interrupted", e);
      }
    }
  }

  /// Waits until everything has come.
  static void await(CountDownLatch latch) {
    try {
      if (!latch.await(3, TimeUnit.MINUTES)) {
        throw new IllegalStateException(latch.getCount() + " never came");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }
}
