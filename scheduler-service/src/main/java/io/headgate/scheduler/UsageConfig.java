package io.headgate.scheduler;

import io.headgate.kit.config.Default;
import io.headgate.kit.config.Setting;
import io.headgate.scheduler.runtime.record.UsageRetention;
import java.time.Duration;

/// The retention of the usage ledger.
public record UsageConfig(
    @Setting(
            meaning =
                "Time for which each interval of usage is kept, for timelines, checks and periods "
                    + "that do not begin at a whole hour.",
            bound = "at least 8d")
        @Default("90d")
        Duration keepIntervals,
    @Setting(meaning = "Time for which sums of hours are kept.", bound = "at least 8d")
        @Default("400d")
        Duration keepHours,
    @Setting(meaning = "Time for which sums of days are kept.", bound = "at least 8d")
        @Default("3660d")
        Duration keepDays) {
  private static final Duration LEAST = Duration.ofDays(8);

  public static final UsageConfig DEFAULTS =
      new UsageConfig(Duration.ofDays(90), Duration.ofDays(400), Duration.ofDays(3660));

  public UsageConfig {
    require("keep-intervals", keepIntervals);
    require("keep-hours", keepHours);
    require("keep-days", keepDays);
  }

  private static void require(String key, Duration keep) {
    if (keep.compareTo(LEAST) < 0) {
      throw new IllegalArgumentException(
          key + ": at least 8d, because whole weeks are deleted, not " + keep);
    }
  }

  UsageRetention retention() {
    return new UsageRetention(keepIntervals, keepHours, keepDays);
  }
}
