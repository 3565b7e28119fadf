package io.headgate.scheduler.runtime.leadership;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/// Watches the other schedulers of the installation. What it says only shortens a wait: the row of
/// leadership decides, with and without it. Thread-safe.
public interface Members extends AutoCloseable {

  /// Begins to watch, in the background.
  void start();

  /// Who is there now.
  Group group();

  /// Waits until somebody comes or goes, at most for the given time. May end early.
  void awaitChange(Duration atMost) throws InterruptedException;

  /// Whether nobody listens at the address of another, so that its process is gone. Blocks for half
  /// a second at most; who does not answer at all may be there.
  ///
  /// @param address `host:port`
  default boolean refuses(String address) {
    return false;
  }

  @Override
  void close();

  /// Nobody watches, so a leader that stands still is waited for until its lease is over, and so is
  /// one that died with its machine.
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
