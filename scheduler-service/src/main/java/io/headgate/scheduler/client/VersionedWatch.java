package io.headgate.scheduler.client;

import io.grpc.Context;
import io.headgate.scheduler.runtime.CatalogSource.Watch;
import java.time.Duration;
import java.util.Iterator;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import java.util.function.ToLongFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Follows a stream that has versions until closed: reconnects with growing, jittered waits and
/// goes on from the last version that was handed over.
///
/// @param <M> the messages of the stream
final class VersionedWatch<M> implements Watch {
  private static final Logger LOG = LoggerFactory.getLogger(VersionedWatch.class);

  private static final Duration FIRST_WAIT = Duration.ofMillis(200);
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(5);
  private static final Duration STOP_BOUND = Duration.ofSeconds(5);

  private final String name;
  private final LongFunction<Iterator<M>> open;
  private final ToLongFunction<M> versionOf;
  private final Consumer<M> sink;
  private final CountDownLatch closed = new CountDownLatch(1);
  private final Context.CancellableContext calls = Context.ROOT.withCancellation();
  private final Thread thread;
  private long version;

  /// @param open the stream from a version on
  VersionedWatch(
      String name,
      long version,
      LongFunction<Iterator<M>> open,
      ToLongFunction<M> versionOf,
      Consumer<M> sink) {
    this.name = name;
    this.version = version;
    this.open = open;
    this.versionOf = versionOf;
    this.sink = sink;
    this.thread = Thread.ofVirtual().name("watch-" + name).unstarted(calls.wrap(this::run));
  }

  VersionedWatch<M> start() {
    thread.start();
    return this;
  }

  private void run() {
    Duration wait = FIRST_WAIT;
    while (closed.getCount() > 0) {
      try {
        Iterator<M> messages = open.apply(version);
        while (messages.hasNext()) {
          M message = messages.next();
          sink.accept(message);
          version = versionOf.applyAsLong(message);
          wait = FIRST_WAIT;
        }
      } catch (RuntimeException e) {
        if (closed.getCount() > 0) {
          LOG.warn("the watch of {} broke at version {}: {}", name, version, e.toString());
        }
      }
      wait = pause(wait);
    }
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
