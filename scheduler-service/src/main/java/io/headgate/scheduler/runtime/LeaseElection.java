package io.headgate.scheduler.runtime;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// Tries whenever the lease should have run out: all that a single replica needs, and what remains
/// when nothing is known of other members.
public final class LeaseElection implements Election {
  /// Two candidates that wait for the same lease look again this much later.
  private static final Duration AGAIN = Duration.ofMillis(50);

  private final CountDownLatch closed = new CountDownLatch(1);

  @Override
  public Turn await(Duration leaseLeft) throws InterruptedException {
    if (leaseLeft.isPositive()) {
      // Ends early only when there is nothing to wait for any more.
      boolean isClosed = closed.await(leaseLeft.plus(AGAIN).toMillis(), TimeUnit.MILLISECONDS);
      assert isClosed || closed.getCount() > 0;
    }
    return new Turn(false);
  }

  @Override
  public void close() {
    closed.countDown();
  }
}
