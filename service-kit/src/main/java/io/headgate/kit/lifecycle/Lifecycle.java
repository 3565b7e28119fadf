package io.headgate.kit.lifecycle;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Starts the parts of a process in order and stops them in reverse order, exactly once, on {@link
/// #close()}, SIGTERM or SIGINT. If a part fails to start, the parts before it are stopped. A part
/// that exceeds its stop bound is reported with its stack, interrupted and abandoned, so that the
/// parts under it (the database last) still stop.
///
/// Thread-safe; one thread should start it.
public final class Lifecycle implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Lifecycle.class);

  /// A step of starting or stopping that may fail.
  @FunctionalInterface
  public interface Step {
    void run() throws Exception;
  }

  private record Part(String name, Step stop) {}

  private final Object lock = new Object();
  private final Duration stopBound;
  private final Deque<Part> parts = new ArrayDeque<>();
  private final CountDownLatch stopped = new CountDownLatch(1);
  private final AtomicBoolean stopping = new AtomicBoolean();
  private volatile @Nullable CountDownLatch starting;
  private volatile @Nullable Thread starter;
  private volatile @Nullable Thread worker;
  private volatile List<StopFailure> failures = List.of();

  /// The failure of a part to stop.
  public record StopFailure(String part, Throwable cause) {}

  /// @param stopBound time that each part may take to stop
  public Lifecycle(Duration stopBound) {
    this.stopBound = stopBound;
  }

  /// Runs `start` now and registers `stop`. If `start` fails, all earlier parts are stopped and the
  /// failure is rethrown.
  public void start(String name, Step start, Step stop) {
    refuseWhenStopping(name);
    LOG.debug("starting {}", name);
    try {
      start.run();
    } catch (Exception | Error e) {
      LOG.error("{} did not start: {}", name, e.toString());
      close();
      throw e instanceof RuntimeException unchecked
          ? unchecked
          : new IllegalStateException(name + " did not start", e);
    }
    add(name, stop);
  }

  /// Registers a running part that is stopped by closing it.
  public <T extends AutoCloseable> T own(String name, T part) {
    add(name, part::close);
    return part;
  }

  /// Starts several parts that depend on each other before they are registered. A concurrent stop
  /// waits until the next part is registered, which then fails, or for the stop bound of one part.
  /// So no part loses a dependency in the middle of its start.
  public <T> T startTogether(Callable<T> start) throws Exception {
    CountDownLatch done = new CountDownLatch(1);
    starter = Thread.currentThread();
    starting = done;
    try {
      return start.call();
    } finally {
      starter = null;
      starting = null;
      done.countDown();
    }
  }

  /// Stops everything on SIGTERM and SIGINT (and at any other end of the JVM).
  public void stopOnSignal() {
    Runtime.getRuntime()
        .addShutdownHook(Thread.ofPlatform().name("shutdown").unstarted(this::close));
  }

  /// Whether stopping has begun; then nothing more starts.
  public boolean isStopping() {
    return stopping.get();
  }

  /// Waits until all parts have stopped.
  public void awaitStopped() throws InterruptedException {
    stopped.await();
  }

  /// Failures to stop; empty before and after an orderly stop.
  public List<StopFailure> failures() {
    return failures;
  }

  /// Stops every part in reverse order of start. A second caller waits for the first. A part that
  /// closes the lifecycle from its own stop does not wait for itself.
  @Override
  public void close() {
    if (!stopping.compareAndSet(false, true)) {
      // The stopping thread waits for the starting thread, which must therefore not wait for it.
      if (!Thread.currentThread().equals(worker) && !Thread.currentThread().equals(starter)) {
        awaitQuietly(stopped);
      }
      return;
    }
    awaitStart();
    List<StopFailure> found = new ArrayList<>();
    for (Part part = next(); part != null; part = next()) {
      stop(part, found);
    }
    failures = List.copyOf(found);
    stopped.countDown();
  }

  private void awaitStart() {
    CountDownLatch start = starting;
    if (start == null || Thread.currentThread().equals(starter)) {
      return;
    }
    try {
      if (!start.await(stopBound.toMillis(), TimeUnit.MILLISECONDS)) {
        LOG.warn("stopping while a part is still starting");
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private void stop(Part part, List<StopFailure> found) {
    LOG.debug("stopping {}", part.name());
    AtomicReference<Throwable> failure = new AtomicReference<>();
    Thread thread =
        Thread.ofPlatform()
            .name("stop " + part.name())
            .daemon()
            .unstarted(() -> {
              try {
                part.stop().run();
              } catch (Exception | Error e) {
                failure.compareAndSet(null, e);
              }
            });
    worker = thread;
    thread.start();
    try {
      if (!thread.join(stopBound)) {
        IllegalStateException late =
            new IllegalStateException(part.name() + " did not stop within " + stopBound);
        late.setStackTrace(thread.getStackTrace());
        failure.compareAndSet(null, late);
        thread.interrupt();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      failure.compareAndSet(null, e);
    }
    Throwable cause = failure.get();
    if (cause != null) {
      LOG.warn("{} failed while stopping", part.name(), cause);
      found.add(new StopFailure(part.name(), cause));
    }
  }

  private @Nullable Part next() {
    synchronized (lock) {
      return parts.pollLast();
    }
  }

  private void add(String name, Step stop) {
    boolean late;
    synchronized (lock) {
      late = stopping.get();
      if (!late) {
        parts.addLast(new Part(name, stop));
      }
    }
    if (late) {
      // Started while a signal was stopping the process; stop it as well.
      stop(new Part(name, stop), new ArrayList<>());
      throw new IllegalStateException(name + " was started while stopping");
    }
  }

  private void refuseWhenStopping(String name) {
    if (stopping.get()) {
      throw new IllegalStateException(name + " is not started: the process is stopping");
    }
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
