package io.headgate.sdk.cli.command.usage;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Locale;

/// Amounts of GPU time. The contract states them in 1/126000 GPU × ms.
final class GpuHours {
  private static final BigDecimal HOUR = new BigDecimal(126_000L * 3_600_000L);
  private static final BigDecimal SECOND = new BigDecimal(126_000L * 1_000L);
  private static final int EXACT_PLACES = 9;
  private static final BigDecimal LEAST = new BigDecimal("0.00005");
  private static final int MOST_PLACES = 4;
  private static final int PERCENT = 100;

  private GpuHours() {}

  static BigInteger amount(String text) {
    return text.isEmpty() ? BigInteger.ZERO : new BigInteger(text);
  }

  /// For people: `1,051`, `84.2`, `3.17`, `0.0042`, `<0.0001`.
  static String text(BigInteger amount) {
    BigDecimal hours = new BigDecimal(amount).divide(HOUR, MathContext.DECIMAL64);
    if (hours.signum() == 0) {
      return "0";
    }
    if (hours.compareTo(LEAST) < 0) {
      return "<0.0001";
    }
    return String.format(Locale.ROOT, "%,." + places(hours) + "f", hours);
  }

  private static int places(BigDecimal hours) {
    for (int digits = 0; digits < MOST_PLACES; digits++) {
      if (hours.compareTo(BigDecimal.TEN.pow(2).movePointLeft(digits)) >= 0) {
        return digits;
      }
    }
    return MOST_PLACES;
  }

  /// For programs: nine decimal places at most.
  static String exact(BigInteger amount) {
    return exact(amount, HOUR);
  }

  /// The same in seconds.
  static String seconds(BigInteger amount) {
    return exact(amount, SECOND);
  }

  private static String exact(BigInteger amount, BigDecimal unit) {
    BigDecimal time = new BigDecimal(amount).divide(unit, EXACT_PLACES, RoundingMode.HALF_EVEN);
    return time.signum() == 0 ? "0" : time.stripTrailingZeros().toPlainString();
  }

  /// `95 %`; empty: there is nothing to divide by.
  static String percent(BigInteger part, BigInteger whole) {
    return whole.signum() == 0 ? "" : percent(part, whole, 0).toPlainString() + " %";
  }

  /// For programs: `95.238`.
  static String exactPercent(BigInteger part, BigInteger whole) {
    return whole.signum() == 0 ? "" : percent(part, whole, 3).toPlainString();
  }

  private static BigDecimal percent(BigInteger part, BigInteger whole, int places) {
    return new BigDecimal(part)
        .multiply(BigDecimal.valueOf(PERCENT))
        .divide(new BigDecimal(whole), places, RoundingMode.HALF_UP);
  }
}
