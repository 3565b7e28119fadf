package io.headgate.kit.watch;

import io.headgate.kit.config.Default;
import java.time.Duration;

/// Limits on watchers.
///
/// @param heartbeat interval of messages on a quiet stream, and of checks for commits without a
///   hint
/// @param patience a watcher that accepts nothing for this long is cut off; it may return
/// @param maxWatchers concurrent watchers; more are refused
public record WatchLimits(
    @Default("10s") Duration heartbeat,
    @Default("30s") Duration patience,
    @Default("1000") int maxWatchers) {

  public static final WatchLimits DEFAULTS =
      new WatchLimits(Duration.ofSeconds(10), Duration.ofSeconds(30), 1000);

  public WatchLimits {
    if (!heartbeat.isPositive() || !patience.isPositive()) {
      throw new IllegalArgumentException("heartbeat and patience are above zero");
    }
    if (maxWatchers < 1) {
      throw new IllegalArgumentException("max-watchers: at least 1, not " + maxWatchers);
    }
  }
}
