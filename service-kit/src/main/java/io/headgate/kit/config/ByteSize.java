package io.headgate.kit.config;

import java.math.BigDecimal;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// An amount of memory or storage in the notation of configuration files: `16GiB`, `512MiB`,
/// `80GB`, `4096`.
public record ByteSize(long bytes) {
  private static final Pattern FORM = Pattern.compile("(\\d+(?:\\.\\d+)?)\\s*([KMGTP]i?B|B)?");
  private static final Map<String, Long> UNITS =
      Map.ofEntries(
          Map.entry("B", 1L),
          Map.entry("KB", 1_000L),
          Map.entry("MB", 1_000_000L),
          Map.entry("GB", 1_000_000_000L),
          Map.entry("TB", 1_000_000_000_000L),
          Map.entry("PB", 1_000_000_000_000_000L),
          Map.entry("KiB", 1L << 10),
          Map.entry("MiB", 1L << 20),
          Map.entry("GiB", 1L << 30),
          Map.entry("TiB", 1L << 40),
          Map.entry("PiB", 1L << 50));

  public ByteSize {
    if (bytes < 0) {
      throw new IllegalArgumentException("a size is not negative: " + bytes);
    }
  }

  public static ByteSize ofMebibytes(long mebibytes) {
    return new ByteSize(Math.multiplyExact(mebibytes, 1L << 20));
  }

  /// The size written as `text`.
  ///
  /// @throws IllegalArgumentException if it is not a size, or not a whole number of bytes
  public static ByteSize parse(String text) {
    Matcher form = FORM.matcher(text.strip());
    if (!form.matches()) {
      throw new IllegalArgumentException(
          "'" + text + "' is not a size: write a number with B, KiB, MiB, GiB, TiB, KB, MB or GB");
    }
    String unit = form.group(2) == null ? "B" : form.group(2);
    try {
      BigDecimal bytes =
          new BigDecimal(form.group(1)).multiply(BigDecimal.valueOf(UNITS.getOrDefault(unit, 1L)));
      return new ByteSize(bytes.longValueExact());
    } catch (ArithmeticException e) {
      throw new IllegalArgumentException("'" + text + "' is not a whole number of bytes", e);
    }
  }

  /// The largest binary unit that holds the size exactly.
  @Override
  public String toString() {
    String[] names = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    int unit = 0;
    long value = bytes;
    while (value != 0 && value % 1024 == 0 && unit < names.length - 1) {
      value /= 1024;
      unit++;
    }
    return value + names[unit];
  }
}
