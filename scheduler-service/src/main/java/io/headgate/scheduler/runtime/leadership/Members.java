package io.headgate.scheduler.runtime.leadership;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/// Watches the other schedulers of the installation. The result only shortens a wait: the row of
/// leadership decides, with or without it. Thread-safe.
public interface Members extends AutoCloseable {

  /// Begins to watch, in the background.
  void start();

  /// The members that are present now.
  Group group();

  /// Waits until a member comes or goes, at most for the given time. May end early.
  void awaitChange(Duration atMost) throws InterruptedException;

  /// Whether the address of another replica refuses connections, so that its process is gone.
  /// Blocks for at most half a second. A replica that does not answer at all may still be alive.
  ///
  /// @param address `host:port`
  default boolean refuses(String address) {
    return false;
  }

  @Override
  void close();

  /// No failure detector. A leader that hangs, or died with its machine, keeps its leadership until
  /// its lease is over.
  ///
  /// @param refuses as [#refuses]
  static Members unwatched(Predicate<String> refuses) {
    return new Members() {
      private final CountDownLatch closed = new CountDownLatch(1);

      @Override
      public void start() {
        // There is nothing to watch.
      }

      @Override
      public Group group() {
        return Group.UNKNOWN;
      }

      @Override
      public void awaitChange(Duration atMost) throws InterruptedException {
        boolean isClosed = closed.await(atMost.toNanos(), TimeUnit.NANOSECONDS);
        assert isClosed || closed.getCount() > 0;
      }

      @Override
      public boolean refuses(String address) {
        return refuses.test(address);
      }

      @Override
      public void close() {
        closed.countDown();
      }
    };
  }
}
