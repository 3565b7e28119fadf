package io.headgate.kit.watch;

import com.google.protobuf.MessageLite;
import io.grpc.stub.ServerCallStreamObserver;
import io.headgate.kit.failure.RefusalException;
import io.headgate.kit.grpc.CallOrigin;
import io.headgate.kit.grpc.CallThreads;
import io.headgate.kit.grpc.FairBound.Excess;
import io.headgate.kit.time.TimeSource;
import io.headgate.kit.watch.WatchSource.Step;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One watch on a virtual thread of its own. The thread waits until the client accepts messages and
/// there is room for one. Then it reads a step or a part of it, sends it, and waits for the next
/// commit or heartbeat. Only that thread sends.
final class Watcher<M> implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(Watcher.class);

  private static final TimeSource TIME = TimeSource.system();

  /// A watcher that waits for room looks again this often, because the hub may have told one of it
  /// that may not use it.
  private static final long LOOK_NANOS = Duration.ofMillis(200).toNanos();

  /// Time for which the end of a watch waits for its client to read what is before it.
  private static final Duration LINGER = Duration.ofSeconds(30);

  private final WatchHub hub;
  private final Subscriber subscriber;
  private final CallOrigin origin;
  private final ServerCallStreamObserver<M> out;
  private final WatchSource<M> source;
  private final WatchLimits limits;
  private final boolean isOneStep;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  // All guarded by lock. The newest commit announced since the last read began.
  private long newest;
  // When the first of these was announced.
  private long announcedNanos;
  private boolean over;
  private boolean mayHaveRoom;
  // Bytes in flight that are counted for this watcher.
  private long counted;
  // Whether all counted bytes were handed over: they are accepted once the client is ready.
  private boolean handedOver;

  /// Completes when nothing of this call is left in the process.
  private final Future<?> gone = CallThreads.gone();

  private final Runnable reset = CallThreads.reset();

  // Used only by the watch's own thread.
  private long seen;
  // When the first news of this step were announced; 0: it was not announced.
  private long readNanos;

  /// The client of a watch.
  record Subscriber(CallOrigin origin, String role) {}

  Watcher(
      WatchHub hub,
      Subscriber subscriber,
      ServerCallStreamObserver<M> out,
      WatchSource<M> source,
      WatchRequest request) {
    this.hub = hub;
    this.subscriber = subscriber;
    this.origin = subscriber.origin();
    this.out = out;
    this.source = source;
    this.limits = hub.limits();
    this.isOneStep = request.oneStep();
    this.seen = request.version();
  }

  CallOrigin origin() {
    return origin;
  }

  String role() {
    return subscriber.role();
  }

  void start(String name) {
    out.setOnCancelHandler(this::stop);
    out.setOnReadyHandler(this::accepted);
    Thread.ofVirtual().name("watch-" + name).start(this);
  }

  void committed(long version) {
    lock.lock();
    try {
      if (version > newest) {
        announcedNanos = newest == 0 ? TIME.monotonicNanos() : announcedNanos;
        newest = version;
        changed.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  /// Another watcher has given back bytes.
  void roomMade() {
    lock.lock();
    try {
      mayHaveRoom = true;
      changed.signalAll();
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
      letGo();
    }
  }

  /// Messages that the client has not taken count until they are gone. A client that does not read
  /// even now loses them, and with them the reason of the end.
  private void letGo() {
    try {
      gone.get(LINGER.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      reset.run();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      reset.run();
    } catch (ExecutionException e) {
      LOG.debug("a watch ended with its connection", e);
    } finally {
      giveBack(() -> true);
      hub.gone(this);
    }
  }

  private void watch() throws InterruptedException {
    // The first answer comes at once, even without news.
    long quietNanos = 0;
    boolean within = false; // The next read continues a step of several parts.
    while (beginsRead(within)) {
      Step<M> step = readStep();
      seen = step.version();
      within = step.more();
      if (!step.messages().isEmpty()) {
        quietNanos = limits.heartbeat().toNanos();
        if (readNanos != 0 && !within) {
          hub.handedOver(TIME.monotonicNanos() - readNanos);
        }
      } else if (quietNanos <= 0 && !step.more()) {
        send(source.alive(seen));
        quietNanos = limits.heartbeat().toNanos();
      }
      if (isOneStep && !step.more()) {
        complete();
        return;
      }
      if (!step.more()) {
        quietNanos = await(() -> newest > seen, quietNanos);
      }
    }
    if (hub.isClosed()) {
      end(hub.stopping(seen).exception());
    }
  }

  /// Reads nothing before the client has accepted what was sent, so that what a client does not
  /// read costs one message.
  private Step<M> readStep() throws InterruptedException {
    awaitReady();
    accepted();
    awaitRoom();
    if (isOver()) {
      return new Step<>(seen, List.of());
    }
    Step<M> step = hub.read(source, seen);
    keep(step.messages().stream().mapToLong(Watcher::size).sum());
    for (M message : step.messages()) {
      send(message);
    }
    handOver();
    return step;
  }

  private static long size(Object message) {
    return message instanceof MessageLite counts ? counts.getSerializedSize() : 0;
  }

  private void send(M message) throws InterruptedException {
    awaitReady();
    if (!isOver()) {
      out.onNext(message);
    }
  }

  private void awaitReady() throws InterruptedException {
    long left = await(out::isReady, Math.max(1, limits.patience().toNanos()));
    if (left <= 0 && !isOver() && !out.isReady()) {
      throw new RefusalException(hub.tooSlow(seen));
    }
  }

  private void awaitRoom() throws InterruptedException {
    long page = limits.memory().page().bytes();
    long left = limits.patience().toNanos();
    Optional<Excess> excess = hub.bytes().enter(origin, page);
    while (excess.isPresent() && !isOver()) {
      if (left <= 0) {
        throw new RefusalException(hub.withoutRoom(excess.get(), seen));
      }
      hub.awaitRoom(this);
      // Room that was given back before the hub knew of this watcher.
      excess = hub.bytes().enter(origin, page);
      if (excess.isPresent()) {
        long slice = Math.min(left, LOOK_NANOS);
        left -= slice - await(() -> mayHaveRoom, slice);
        forgetRoom();
        excess = hub.bytes().enter(origin, page);
      }
    }
    hub.hasRoom(this);
    if (excess.isEmpty()) {
      count(page);
    }
  }

  /// Adds to the bytes that [#giveBack] gives back. Bytes of an earlier step may still count: a
  /// watch that ends while its client does not read comes here without having given them back.
  private void count(long amount) {
    lock.lock();
    try {
      counted += amount;
    } finally {
      lock.unlock();
    }
  }

  private void forgetRoom() {
    lock.lock();
    try {
      mayHaveRoom = false;
    } finally {
      lock.unlock();
    }
  }

  /// Corrects the count to the bytes of the messages. More than a page is not counted: it is a
  /// single large item, or belongs to a small resource.
  private void keep(long bytes) {
    long page = limits.memory().page().bytes();
    if (bytes < page) {
      count(bytes - page);
      hub.leave(origin, page - bytes);
    }
  }

  private void handOver() {
    lock.lock();
    try {
      handedOver = true;
    } finally {
      lock.unlock();
    }
    accepted();
  }

  /// The client may have accepted what was sent.
  private void accepted() {
    giveBack(() -> handedOver && out.isReady());
    wake();
  }

  /// Gives back the counted bytes, if `condition` holds under the lock.
  private void giveBack(BooleanSupplier condition) {
    long bytes = 0;
    lock.lock();
    try {
      if (condition.getAsBoolean()) {
        bytes = counted;
        counted = 0;
        handedOver = false;
      }
    } finally {
      lock.unlock();
    }
    if (bytes > 0) {
      hub.leave(origin, bytes);
    }
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
  /// never comes thus costs one read, not an endless loop. The parts of one step all show the
  /// version of the first, so hints that come between them stay.
  private boolean beginsRead(boolean within) {
    lock.lock();
    try {
      if (!within) {
        readNanos = newest == 0 ? 0 : announcedNanos;
        newest = 0;
      }
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

  private void complete() {
    if (!out.isCancelled()) {
      out.onCompleted();
    }
  }

  private void end(Throwable failure) {
    if (!out.isCancelled()) {
      out.onError(failure);
    }
  }
}
