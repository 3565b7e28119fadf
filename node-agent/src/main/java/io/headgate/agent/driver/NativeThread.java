package io.headgate.agent.driver;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/// One platform thread that makes native calls one after the other, for callers that wait a bounded
/// time.
///
/// A call that hangs blocks only this thread: calls queued behind it time out, too, and are then
/// not made at all.
public final class NativeThread implements AutoCloseable {
  private static final int MAX_WAITING = 256;
  private static final long IDLE_SECONDS = 60;

  private final ThreadPoolExecutor executor;
  private final String name;
  private final Duration patience;

  /// @param patience how long a call may take, together with those before it
  public NativeThread(String name, Duration patience) {
    this.name = name;
    this.patience = patience;
    this.executor =
        new ThreadPoolExecutor(
            1,
            1,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(MAX_WAITING),
            Thread.ofPlatform().daemon().name("gpu-" + name).factory());
    executor.allowCoreThreadTimeOut(true);
  }

  /// Makes the call on the thread and passes on its exception.
  ///
  /// @throws GpuDriverException when it takes too long, or the thread is full of calls that do
  public <T> T call(Callable<T> call) {
    Future<T> made;
    try {
      made = executor.submit(call);
    } catch (RejectedExecutionException _) {
      throw full();
    }
    try {
      return made.get(patience.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException _) {
      made.cancel(false);
      throw new GpuDriverException(
          "%s has not answered for %s s".formatted(name, patience.toMillis() / 1000.0));
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      throw new GpuDriverException("interrupted while waiting for " + name);
    } catch (ExecutionException e) {
      switch (e.getCause()) {
        case RuntimeException failure -> throw failure;
        case Error failure -> throw failure;
        case null, default -> throw new IllegalStateException(e);
      }
    }
  }

  /// Makes the call on the thread, and waits for nothing.
  ///
  /// @throws GpuDriverException when the thread is full of calls that take too long
  public <T> CompletableFuture<T> post(Supplier<T> call) {
    try {
      return CompletableFuture.supplyAsync(call, executor);
    } catch (RejectedExecutionException _) {
      throw full();
    }
  }

  private GpuDriverException full() {
    return new GpuDriverException(name + " no longer answers calls");
  }

  public void run(Runnable call) {
    call(() -> {
      call.run();
      return true;
    });
  }

  @Override
  public void close() {
    executor.shutdown();
  }
}
