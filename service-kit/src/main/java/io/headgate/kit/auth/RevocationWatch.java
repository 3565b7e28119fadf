package io.headgate.kit.auth;

import io.grpc.Context;
import io.headgate.kit.auth.Revocations.News;
import io.headgate.kit.position.WatchPosition;
import java.time.Duration;
import java.util.Iterator;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Follows the issuer's revocations on a thread of its own until closed. A broken stream is opened
/// again after a second at most, because a revocation must reach a verifier within five.
public final class RevocationWatch implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RevocationWatch.class);

  private static final Duration FIRST_WAIT = Duration.ofMillis(100);
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(1);
  private static final Duration STOP_BOUND = Duration.ofSeconds(5);

  private final Source source;
  private final Revocations revocations;
  private final CountDownLatch closing = new CountDownLatch(1);
  private final Context.CancellableContext calls = Context.ROOT.withCancellation();
  private final Thread thread;

  /// The issuer's stream. Its first news come at once.
  @FunctionalInterface
  public interface Source {
    /// Opens the stream; the iterator blocks, and throws when the stream breaks.
    ///
    /// @param from position after the last news that were applied
    Iterator<News> open(WatchPosition from);
  }

  private RevocationWatch(Source source, Revocations revocations) {
    this.source = source;
    this.revocations = revocations;
    this.thread = Thread.ofVirtual().name("watch-revocations").unstarted(calls.wrap(this::run));
  }

  /// Begins to follow.
  public static RevocationWatch start(Source source, Revocations revocations) {
    RevocationWatch watch = new RevocationWatch(source, revocations);
    watch.thread.start();
    return watch;
  }

  private void run() {
    Duration wait = FIRST_WAIT;
    boolean broken = false;
    while (closing.getCount() > 0) {
      try {
        Iterator<News> news = source.open(revocations.position());
        while (news.hasNext()) {
          revocations.apply(news.next());
          wait = FIRST_WAIT;
          broken = false;
        }
      } catch (RuntimeException e) {
        // Once for each time of silence, not for each attempt.
        if (closing.getCount() > 0 && !broken) {
          broken = true;
          LOG.warn("the watch of revocations broke; trying again until it works: {}", e.toString());
        }
      }
      wait = pause(wait);
    }
  }

  private Duration pause(Duration wait) {
    long millis = wait.toMillis();
    try {
      if (closing.await(
          ThreadLocalRandom.current().nextLong(millis / 2, millis + 1), TimeUnit.MILLISECONDS)) {
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
    closing.countDown();
    calls.cancel(null);
    thread.interrupt();
    try {
      if (!thread.join(STOP_BOUND)) {
        LOG.warn("the watch of revocations did not stop within {}", STOP_BOUND);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
