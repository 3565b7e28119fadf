package io.headgate.sdk.config;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Amounts of memory as people write them: `16GiB`, `512MiB`, `80GB`.
public final class ByteText {
  private static final Pattern FORM =
      Pattern.compile("(\\d{1,15}(?:\\.\\d{1,9})?) ?([KMGTP]i?B|kB|B)");
  private static final Map<String, Long> UNITS = units();

  private ByteText() {}

  private static Map<String, Long> units() {
    Map<String, Long> units = new LinkedHashMap<>();
    long binary = 1;
    long decimal = 1;
    for (String prefix : new String[] {"K", "M", "G", "T", "P"}) {
      binary <<= 10;
      decimal *= 1000;
      units.put(prefix + "iB", binary);
      units.put(prefix + "B", decimal);
    }
    units.put("B", 1L);
    return units;
  }

  /// Empty when the text is no amount, or not a whole number of bytes.
  public static Optional<Long> parse(String text) {
    Matcher matcher = FORM.matcher(text);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    Long unit = UNITS.get(matcher.group(2).equals("kB") ? "KB" : matcher.group(2));
    if (unit == null) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          new BigDecimal(matcher.group(1)).multiply(BigDecimal.valueOf(unit)).longValueExact());
    } catch (ArithmeticException notWholeOrTooLarge) {
      return Optional.empty();
    }
  }

  /// The shortest exact text: `16GiB`, `80GB`, `1536MiB`.
  public static String format(long bytes) {
    String best = bytes + "B";
    if (bytes == 0) {
      return best;
    }
    for (Map.Entry<String, Long> unit : UNITS.entrySet()) {
      if (bytes % unit.getValue() == 0) {
        String text = bytes / unit.getValue() + unit.getKey();
        if (digits(text) < digits(best)) {
          best = text;
        }
      }
    }
    return best;
  }

  /// A measured amount, to a tenth of its unit: `12.4GiB`, `24GiB`, `0B`.
  public static String round(long bytes) {
    String unit = "B";
    long size = 1;
    for (Map.Entry<String, Long> each : UNITS.entrySet()) {
      if (each.getKey().endsWith("iB") && bytes >= each.getValue()) {
        unit = each.getKey();
        size = each.getValue();
      }
    }
    return BigDecimal.valueOf(bytes)
            .divide(BigDecimal.valueOf(size), 1, RoundingMode.HALF_UP)
            .stripTrailingZeros()
            .toPlainString()
        + unit;
  }

  private static long digits(String text) {
    return text.chars().filter(Character::isDigit).count();
  }
}
