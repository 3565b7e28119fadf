package io.headgate.sdk.config;

import java.math.BigDecimal;

/// GPU time or money that jobs may use in a period.
///
/// @param warnAt percentage of the amount from which the scheduler warns, 1 to 100
public record Budget(Amount amount, Per per, int warnAt, WhenSpent whenSpent) {
  public static final int DEFAULT_WARN_AT = 80;

  /// GPU time or money, without trailing zeros, so that equal amounts are equal.
  public sealed interface Amount {
    BigDecimal value();

    /// GPU time.
    record GpuHours(BigDecimal value) implements Amount {
      public GpuHours {
        value = value.stripTrailingZeros();
      }
    }

    /// Money at the prices of the pools.
    ///
    /// @param currency ISO 4217 code
    record Cost(BigDecimal value, String currency) implements Amount {
      public Cost {
        value = value.stripTrailingZeros();
      }
    }
  }

  /// The time after which a budget begins anew.
  public enum Per implements Keyword {
    DAY,
    WEEK,
    MONTH,
    YEAR
  }

  /// The consequence when all of it is used.
  public enum WhenSpent implements Keyword {
    /// The event and the metric say so.
    WARN,
    /// The jobs use what others leave.
    YIELD,
    /// Jobs do not start.
    WAIT,
    /// Jobs do not start, and running ones are stopped.
    STOP
  }
}
