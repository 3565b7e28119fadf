package io.headgate.kit.lifecycle;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A few threads for work that takes a processor for long, such as pages of snapshots, large
/// requests and plans. They are threads of the operating system: a virtual thread gives its carrier
/// to others only when it waits. Thread-safe.
public final class HeavyThreads {
  /// A thread of this niceness gets about a third of the time of an ordinary one.
  static final int LOW = 5;

  private static final int ORDINARY = 0;
  private static final Logger LOG = LoggerFactory.getLogger(HeavyThreads.class);
  private static final long IDLE_SECONDS = 30;
  private static final boolean IS_LINUX = System.getProperty("os.name").equals("Linux");

  private final ThreadPoolExecutor threads;

  /// @param name beginning of the names of the threads
  /// @param most threads; further work waits, first come first served
  public HeavyThreads(String name, int most) {
    this(name, most, Integer.MAX_VALUE, ORDINARY);
  }

  /// Threads that refuse further work, with a `RejectedExecutionException`, while much waits.
  ///
  /// @param name beginning of the names of the threads
  /// @param most threads
  /// @param waiting pieces of work that may wait, first come first served
  public static HeavyThreads bounded(String name, int most, int waiting) {
    return new HeavyThreads(name, most, waiting, ORDINARY);
  }

  private HeavyThreads(String name, int most, int waiting, int niceness) {
    this.threads =
        new ThreadPoolExecutor(
            most,
            most,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(waiting),
            nice(Thread.ofPlatform().daemon().name(name + "-", 0).factory(), niceness));
    threads.allowCoreThreadTimeOut(true);
  }

  /// Threads of a low priority on Linux: other threads come first where processors are short. No
  /// other caller may wait for their work.
  ///
  /// @param name beginning of the names of the threads
  /// @param most threads; further work waits, first come first served
  public static HeavyThreads ofLowPriority(String name, int most) {
    return new HeavyThreads(name, most, Integer.MAX_VALUE, LOW);
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

  private static ThreadFactory nice(ThreadFactory factory, int niceness) {
    return work ->
        factory.newThread(() -> {
          lowerPriority(niceness);
          work.run();
        });
  }

  /// Lowers the priority of the calling thread. Elsewhere than on Linux, the native call would mean
  /// the whole process.
  @SuppressWarnings("restricted") // Native access is allowed on the command lines of all processes.
  private static void lowerPriority(int niceness) {
    if (!IS_LINUX || niceness == ORDINARY) {
      return;
    }
    try {
      Linker linker = Linker.nativeLinker();
      MethodHandle setPriority =
          linker.downcallHandle(
              linker.defaultLookup().findOrThrow("setpriority"),
              FunctionDescriptor.of(
                  ValueLayout.JAVA_INT,
                  ValueLayout.JAVA_INT,
                  ValueLayout.JAVA_INT,
                  ValueLayout.JAVA_INT));
      int ofThreads = 0;
      int caller = 0;
      if ((int) setPriority.invokeExact(ofThreads, caller, niceness) != 0) {
        LOG.debug("a thread for heavy work keeps its priority");
      }
    } catch (Throwable e) {
      // At the ordinary priority, the work slows other calls more.
      LOG.debug("a thread for heavy work keeps its priority", e);
    }
  }
}
