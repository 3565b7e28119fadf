package io.headgate.policy.core.access;

import java.math.BigDecimal;

/// GPU time or money that jobs may use in a period. The scheduler counts; this service keeps the
/// bound.
///
/// @param warnAt percentage of the amount from which the scheduler warns, 1 to 100
public record Budget(Amount amount, Per per, int warnAt, WhenSpent whenSpent) {
  public static final int DEFAULT_WARN_AT = 80;

  public Budget {
    if (warnAt < 1 || warnAt > 100) {
      throw new IllegalArgumentException("warnAt " + warnAt);
    }
  }

  /// GPU time or money: a number above 0 without trailing zeros, so that equal amounts are equal.
  public sealed interface Amount {
    BigDecimal value();

    /// GPU time.
    record GpuHours(BigDecimal value) implements Amount {
      public GpuHours {
        value = positive(value);
      }
    }

    /// Money at the prices of the pools.
    ///
    /// @param currency ISO 4217 code
    record Cost(BigDecimal value, String currency) implements Amount {
      public Cost {
        value = positive(value);
      }
    }

    private static BigDecimal positive(BigDecimal value) {
      if (value.signum() <= 0) {
        throw new IllegalArgumentException("amount " + value);
      }
      return value.stripTrailingZeros();
    }
  }

  /// The time after which a budget begins anew.
  public enum Per {
    DAY,
    WEEK,
    MONTH,
    YEAR
  }

  /// The consequence when all of it is used.
  public enum WhenSpent {
    WARN,
    YIELD,
    WAIT,
    STOP
  }
}
