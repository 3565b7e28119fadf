package io.headgate.sdk.config;

import java.math.BigDecimal;
import java.util.Optional;
import java.util.regex.Pattern;

/// Numbers of CPUs as people write them, counted in thousandths: `4`, `0.5`.
public final class CpuText {
  private static final Pattern FORM = Pattern.compile("\\d{1,7}(\\.\\d{1,3})?");

  private CpuText() {}

  /// The number in thousandths of a core; empty when the text is malformed.
  public static Optional<Long> parse(String text) {
    return FORM.matcher(text).matches()
        ? Optional.of(new BigDecimal(text).movePointRight(3).longValueExact())
        : Optional.empty();
  }

  public static String format(long millis) {
    return BigDecimal.valueOf(millis, 3).stripTrailingZeros().toPlainString();
  }
}
