package io.headgate.scheduler.client;

import io.grpc.Context;
import io.grpc.stub.AbstractStub;
import io.headgate.kit.position.WatchPosition;
import io.headgate.scheduler.runtime.catalog.CatalogSource.Watch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Follows a stream that has versions until closed: reconnects with growing, jittered waits and
/// goes on from the last position that was handed over. A step of several parts is handed over when
/// it is complete; one that a broken stream leaves in the middle is forgotten.
///
/// @param <M> the messages of the stream
final class VersionedWatch<M> implements Watch {
  private static final Logger LOG = LoggerFactory.getLogger(VersionedWatch.class);

  private static final Duration FIRST_WAIT = Duration.ofMillis(200);
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(5);
  private static final Duration STOP_BOUND = Duration.ofSeconds(5);

  private final String name;
  private final Stream<M> stream;
  private final Consumer<M> sink;
  private final CountDownLatch closed = new CountDownLatch(1);
  private final Context.CancellableContext calls = Context.ROOT.withCancellation();
  private final Thread thread;

  /// Held while a message is handed over, so that messages of two streams come one after the other.
  private final ReentrantLock handing = new ReentrantLock();

  // Written under handing.
  private volatile WatchPosition position;

  /// The followed stream. Its first step comes at once with the present state, even if nothing has
  /// changed.
  interface Stream<M> {
    /// Opens it.
    ///
    /// @param from of the last step that was handed over
    /// @param deadline present: the service ends the stream after its first step, or the deadline
    ///   does; absent: the stream does not end
    Iterator<M> open(WatchPosition from, Optional<Duration> deadline);

    /// After the step.
    WatchPosition position(M step);

    /// It replaces everything known before.
    boolean isSnapshot(M step);

    /// The step is complete with this part.
    boolean isLast(M part);

    /// The step of these parts.
    M join(List<M> parts);
  }

  VersionedWatch(String name, WatchPosition position, Stream<M> stream, Consumer<M> sink) {
    this.name = name;
    this.position = position;
    this.stream = stream;
    this.sink = sink;
    this.thread = Thread.ofVirtual().name("watch-" + name).unstarted(calls.wrap(this::run));
  }

  /// The stub with the deadline, if there is one.
  static <S extends AbstractStub<S>> S within(S stub, Optional<Duration> deadline) {
    return deadline.isPresent()
        ? stub.withDeadlineAfter(deadline.get().toNanos(), TimeUnit.NANOSECONDS)
        : stub;
  }

  VersionedWatch<M> start() {
    thread.start();
    return this;
  }

  private void run() {
    Duration wait = FIRST_WAIT;
    while (closed.getCount() > 0) {
      try {
        WatchPosition from = position;
        Iterator<M> messages = stream.open(from, Optional.empty());
        while (messages.hasNext()) {
          handOver(step(messages), from);
          wait = FIRST_WAIT;
        }
      } catch (RuntimeException e) {
        if (closed.getCount() > 0) {
          LOG.warn("the watch of {} broke at {}: {}", name, position, e.toString());
        }
      }
      wait = pause(wait);
    }
  }

  @Override
  public void refresh(Duration atMost) {
    Context.CancellableContext call = calls.withCancellation();
    try {
      call.run(() -> {
        WatchPosition from = position;
        Iterator<M> messages = stream.open(from, Optional.of(atMost));
        handOver(step(messages), from);
        Thread.ofVirtual()
            .name("end-" + name)
            .start(() -> {
              awaitEnd(messages);
              call.cancel(null);
            });
      });
    } catch (RuntimeException | Error e) {
      call.cancel(null);
      throw e;
    }
  }

  /// Lets the service end the stream, and the deadline if the service is of an earlier version.
  /// Nothing waits for that: the step is handed over. Cancelled streams count as resets, and a
  /// service cuts a connection with many of them, together with the followed stream on it.
  private void awaitEnd(Iterator<M> messages) {
    try {
      while (messages.hasNext()) {
        M unasked = messages.next();
        LOG.debug("{} sent more than one step: {}", name, stream.position(unasked));
      }
    } catch (RuntimeException e) {
      LOG.debug("the stream of {} broke after its step", name, e);
    }
  }

  /// The next step, when its last part has come; fails if the stream ends before that.
  private M step(Iterator<M> messages) {
    List<M> parts = new ArrayList<>();
    do {
      parts.add(messages.next());
    } while (!stream.isLast(parts.getLast()));
    return stream.join(parts);
  }

  /// Hands a step over unless the other stream has brought a newer one meanwhile. A step contains
  /// everything since its stream began, so no skipped step is missed.
  ///
  /// @param from position from which its stream began
  private void handOver(M step, WatchPosition from) {
    handing.lock();
    try {
      if (isNews(step, from)) {
        sink.accept(step);
        position = stream.position(step);
      }
    } finally {
      handing.unlock();
    }
  }

  private boolean isNews(M step, WatchPosition from) {
    WatchPosition next = stream.position(step);
    if (!next.incarnation().equals(position.incarnation())) {
      // The service was restored from a backup and has a new incarnation. A step of the incarnation
      // with which the stream began is outdated if the other stream has brought a newer one.
      return stream.isSnapshot(step) && !next.incarnation().equals(from.incarnation());
    }
    // A snapshot of a version before that is of one that was restored and kept its incarnation.
    return next.version() > position.version()
        || (stream.isSnapshot(step)
            && next.incarnation().equals(from.incarnation())
            && next.version() < from.version());
  }

  private Duration pause(Duration wait) {
    long millis = wait.toMillis();
    long jittered = ThreadLocalRandom.current().nextLong(millis / 2, millis + 1);
    try {
      if (closed.await(jittered, TimeUnit.MILLISECONDS)) {
        return wait;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    Duration longer = wait.multipliedBy(2);
    return longer.compareTo(LONGEST_WAIT) > 0 ? LONGEST_WAIT : longer;
  }

  @Override
  public void close() {
    closed.countDown();
    calls.cancel(null);
    thread.interrupt();
    try {
      if (!thread.join(STOP_BOUND)) {
        LOG.warn("the watch of {} did not stop within {}", name, STOP_BOUND);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
