package io.headgate.kit.watch;

import io.headgate.kit.config.Default;
import io.headgate.kit.config.Setting;
import io.headgate.kit.grpc.FairBound;
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
    @Setting(
            meaning =
                "Concurrent watchers; further ones are refused. A caller may also have "
                    + "only as many as are free, a tenant twice as many.",
            bound = "at least 1")
        @Default("1000")
        int maxWatchers,
    @Setting(meaning = "Concurrent watchers of one tenant.", bound = "at least 1") @Default("500")
        int maxWatchersPerTenant,
    @Setting(meaning = "Concurrent watchers of one caller.", bound = "at least 1") @Default("200")
        int maxWatchersPerCaller,
    @Setting(meaning = "Bytes on their way to clients.") WatchMemory memory) {

  public static final WatchLimits DEFAULTS =
      new WatchLimits(
          Duration.ofSeconds(10), Duration.ofSeconds(30), 1000, 500, 200, WatchMemory.DEFAULTS);

  public WatchLimits {
    if (!heartbeat.isPositive() || !patience.isPositive()) {
      throw new IllegalArgumentException("heartbeat and patience are above zero");
    }
    requirePositive("max-watchers", maxWatchers);
    requirePositive("max-watchers-per-tenant", maxWatchersPerTenant);
    requirePositive("max-watchers-per-caller", maxWatchersPerCaller);
  }

  /// The default limits with other times and another number of watchers.
  public WatchLimits(Duration heartbeat, Duration patience, int maxWatchers) {
    this(
        heartbeat,
        patience,
        maxWatchers,
        DEFAULTS.maxWatchersPerTenant(),
        DEFAULTS.maxWatchersPerCaller(),
        DEFAULTS.memory());
  }

  /// The same with another memory.
  public WatchLimits with(WatchMemory newMemory) {
    return new WatchLimits(
        heartbeat, patience, maxWatchers, maxWatchersPerTenant, maxWatchersPerCaller, newMemory);
  }

  private static void requirePositive(String key, int value) {
    if (value < 1) {
      throw new IllegalArgumentException("%s: at least 1, not %d".formatted(key, value));
    }
  }

  /// The bound on their number.
  FairBound number() {
    return new FairBound(
        new FairBound.Limits(
            maxWatchers, maxWatchersPerTenant, maxWatchersPerCaller, Long.MAX_VALUE));
  }
}
