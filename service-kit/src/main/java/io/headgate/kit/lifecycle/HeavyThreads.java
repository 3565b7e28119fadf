package io.headgate.kit.lifecycle;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/// A few threads for work that takes a processor for long, such as pages of snapshots, large
/// requests and plans. They are threads of the operating system: a virtual thread gives its carrier
/// to others only when it waits. Thread-safe.
///
/// They have the ordinary priority. On Linux a thread passes a lower one on to each thread that it
/// starts, and any thread may start the carriers of virtual threads.
public final class HeavyThreads {
  private static final long IDLE_SECONDS = 30;

  private final ThreadPoolExecutor threads;

  /// @param name beginning of the names of the threads
  /// @param most threads; further work waits, first come first served
  public HeavyThreads(String name, int most) {
    this(name, most, Integer.MAX_VALUE);
  }

  /// Threads that refuse further work, with a `RejectedExecutionException`, while much waits.
  ///
  /// @param name beginning of the names of the threads
  /// @param most threads
  /// @param waiting pieces of work that may wait, first come first served
  public static HeavyThreads bounded(String name, int most, int waiting) {
    return new HeavyThreads(name, most, waiting);
  }

  private HeavyThreads(String name, int most, int waiting) {
    this.threads =
        new ThreadPoolExecutor(
            most,
            most,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(waiting),
            Thread.ofPlatform().daemon().name(name + "-", 0).factory());
    threads.allowCoreThreadTimeOut(true);
  }

  public Executor executor() {
    return threads;
  }

  /// Pieces of work that wait for a thread.
  public int waiting() {
    return threads.getQueue().size();
  }

  /// Does the work on one of the threads, and waits for it. An interrupt ends the wait and
  /// interrupts the work.
  ///
  /// @throws RuntimeException that the work threw; likewise an error
  public <T> T call(Supplier<T> work) throws InterruptedException {
    FutureTask<T> task = new FutureTask<>(work::get);
    threads.execute(task);
    try {
      return task.get();
    } catch (InterruptedException e) {
      task.cancel(true);
      throw e;
    } catch (ExecutionException e) {
      switch (e.getCause()) {
        case RuntimeException failure -> throw failure;
        case Error failure -> throw failure;
        case null, default -> throw new IllegalStateException("a supplier throws nothing else", e);
      }
    }
  }

  /// Discards what waits, and interrupts what runs.
  public void stop() {
    threads.shutdownNow();
  }
}
