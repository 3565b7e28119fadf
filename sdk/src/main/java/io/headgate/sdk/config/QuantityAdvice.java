package io.headgate.sdk.config;

import io.headgate.type.GpuQuantity;
import io.headgate.type.InexactQuantityException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/// Says which quantities near one that cannot be represented can be.
///
/// Example: `1/11` → `1/10`, `1/12`, `0.091`; `0.1234567` → `0.123`, `0.124`.
public final class QuantityAdvice {
  private static final int NEIGHBOURS_TRIED = 64;

  private QuantityAdvice() {}

  /// A few exact texts, each close to the one given.
  public static List<String> near(String text, InexactQuantityException inexact) {
    Set<String> advice = new LinkedHashSet<>();
    int slash = text.indexOf('/');
    if (slash > 0) {
      long numerator = Long.parseLong(text.substring(0, slash));
      long denominator = Long.parseLong(text.substring(slash + 1));
      addFraction(advice, numerator, denominator, -1);
      addFraction(advice, numerator, denominator, 1);
      addDecimal(advice, inexact.below(), RoundingMode.HALF_UP);
    } else {
      addDecimal(advice, inexact.below(), RoundingMode.DOWN);
      addDecimal(advice, inexact.above(), RoundingMode.UP);
    }
    return List.copyOf(advice);
  }

  private static void addFraction(
      Set<String> advice, long numerator, long denominator, int direction) {
    for (int step = 1; step <= NEIGHBOURS_TRIED; step++) {
      long candidate = denominator + (long) direction * step;
      if (candidate >= 1
          && numerator < Long.MAX_VALUE / GpuQuantity.UNITS_PER_GPU
          && numerator * GpuQuantity.UNITS_PER_GPU % candidate == 0) {
        advice.add(GpuQuantity.format(numerator * GpuQuantity.UNITS_PER_GPU / candidate));
        return;
      }
    }
  }

  private static void addDecimal(Set<String> advice, GpuQuantity near, RoundingMode rounding) {
    BigDecimal thousandths =
        BigDecimal.valueOf(near.units())
            .divide(BigDecimal.valueOf(GpuQuantity.UNITS_PER_GPU), 3, rounding);
    if (thousandths.signum() > 0) {
      advice.add(thousandths.stripTrailingZeros().toPlainString());
    }
  }
}
