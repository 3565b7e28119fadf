package io.headgate.scheduler;

import io.headgate.kit.config.Default;
import io.headgate.kit.config.Setting;
import java.time.Duration;

/// The retention of finished jobs.
public record HistoryConfig(
    @Setting(
            meaning =
                "Time for which a job can be read after its end, and an event "
                    + "after it happened. Afterwards both are deleted.",
            bound = "at least 1d")
        @Default("90d")
        Duration keep) {
  private static final Duration LEAST = Duration.ofDays(1);

  public static final HistoryConfig DEFAULTS = new HistoryConfig(Duration.ofDays(90));

  public HistoryConfig {
    if (keep.compareTo(LEAST) < 0) {
      throw new IllegalArgumentException(
          "keep: at least 1d, because a submission may be repeated for a day, not " + keep);
    }
  }
}
