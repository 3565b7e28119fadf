package io.headgate.agent.qualify;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// Polls facts of which no event tells: lines in a file, the use of a GPU.
public final class Polling {
  /// More than any program takes that has a GPU to itself.
  static final Duration LONG = Duration.ofSeconds(60);

  private static final long PAUSE_MILLIS = 5;

  private Polling() {}

  /// The awaited condition.
  @FunctionalInterface
  public interface Condition {
    boolean isTrue() throws IOException, InterruptedException;
  }

  /// Waits until it is true, but not longer than that.
  ///
  /// @return whether it is
  public static boolean until(Duration time, Condition condition)
      throws IOException, InterruptedException {
    for (long pauses = time.toMillis() / PAUSE_MILLIS; !condition.isTrue(); pauses--) {
      if (pauses <= 0) {
        return false;
      }
      var _ = new CountDownLatch(1).await(PAUSE_MILLIS, TimeUnit.MILLISECONDS);
    }
    return true;
  }
}
