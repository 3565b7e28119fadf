package io.headgate.kit.watch;

import io.grpc.stub.ServerCallStreamObserver;
import io.headgate.kit.failure.RefusalException;
import io.headgate.kit.watch.WatchSource.Step;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/// One watch: a virtual thread that reads a step, sends it as the client accepts it, and waits for
/// the next commit or heartbeat. Only that thread sends.
final class Watcher<M> implements Runnable {
  private final WatchHub hub;
  private final ServerCallStreamObserver<M> out;
  private final WatchSource<M> source;
  private final WatchLimits limits;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  // Both guarded by lock. The newest commit announced since the last read began.
  private long newest;
  private boolean over;

  // Used only by the watch's own thread.
  private long seen;

  Watcher(
      WatchHub hub,
      ServerCallStreamObserver<M> out,
      WatchSource<M> source,
      WatchLimits limits,
      long seen) {
    this.hub = hub;
    this.out = out;
    this.source = source;
    this.limits = limits;
    this.seen = seen;
  }

  void start(String name) {
    out.setOnCancelHandler(this::stop);
    out.setOnReadyHandler(this::wake);
    Thread.ofVirtual().name("watch-" + name).start(this);
  }

  void committed(long version) {
    lock.lock();
    try {
      if (version > newest) {
        newest = version;
        changed.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  void stop() {
    lock.lock();
    try {
      over = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void run() {
    try {
      watch();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      end(hub.stopping(seen).exception());
    } catch (RuntimeException | Error e) {
      end(e);
    } finally {
      hub.ended(this);
    }
  }

  private void watch() throws InterruptedException {
    // The first answer comes at once, even without news.
    long quietNanos = 0;
    while (beginsRead()) {
      Step<M> step = source.read(seen);
      for (M message : step.messages()) {
        send(message);
      }
      seen = step.version();
      if (!step.messages().isEmpty()) {
        quietNanos = limits.heartbeat().toNanos();
      } else if (quietNanos <= 0) {
        send(source.alive(seen));
        quietNanos = limits.heartbeat().toNanos();
      }
      quietNanos = await(() -> newest > seen, quietNanos);
    }
    if (hub.isClosed()) {
      end(hub.stopping(seen).exception());
    }
  }

  private void send(M message) throws InterruptedException {
    long left = await(out::isReady, Math.max(1, limits.patience().toNanos()));
    if (isOver()) {
      return;
    }
    if (left <= 0 && !out.isReady()) {
      throw new RefusalException(hub.tooSlow(seen));
    }
    out.onNext(message);
  }

  /// Waits until `condition`, the end of the watch, or for `nanos`; returns the remaining time.
  private long await(BooleanSupplier condition, long nanos) throws InterruptedException {
    long left = nanos;
    lock.lock();
    try {
      while (!over && !condition.getAsBoolean() && left > 0) {
        left = changed.awaitNanos(left);
      }
      return left;
    } finally {
      lock.unlock();
    }
  }

  /// Discards earlier hints, because the next read sees those versions. A hint for a version that
  /// never comes thus costs one read, not an endless loop.
  private boolean beginsRead() {
    lock.lock();
    try {
      newest = 0;
      return !over;
    } finally {
      lock.unlock();
    }
  }

  private boolean isOver() {
    lock.lock();
    try {
      return over;
    } finally {
      lock.unlock();
    }
  }

  private void wake() {
    lock.lock();
    try {
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void end(Throwable failure) {
    if (!out.isCancelled()) {
      out.onError(failure);
    }
  }
}
