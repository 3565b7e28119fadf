package io.headgate.kit.watch;

import io.headgate.kit.config.Default;
import io.headgate.kit.config.Setting;
import java.time.Duration;

/// Limits on watchers.
public record WatchLimits(
    @Setting(
            meaning =
                "Interval of messages on a quiet watch, and of checks for "
                    + "commits whose notification was lost.",
            bound = "above 0")
        @Default("10s")
        Duration heartbeat,
    @Setting(
            meaning =
                "Time after which a watcher that accepts nothing is "
                    + "disconnected; it may return.",
            bound = "above 0")
        @Default("30s")
        Duration patience,
    @Setting(meaning = "Concurrent watchers; further ones are refused.", bound = "at least 1")
        @Default("1000")
        int maxWatchers) {

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
