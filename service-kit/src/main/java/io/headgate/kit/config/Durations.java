package io.headgate.kit.config;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Durations in the notation of configuration files: `250ms`, `90s`, `15m`, `2h`, `1d`, or parts in
/// falling order: `1h30m`.
public final class Durations {
  private static final Pattern FORM =
      Pattern.compile("(?:(\\d+)d)?(?:(\\d+)h)?(?:(\\d+)m(?!s))?(?:(\\d+)s)?(?:(\\d+)ms)?");

  private Durations() {}

  /// The duration written as `text`.
  ///
  /// @throws IllegalArgumentException if it is not one
  public static Duration parse(String text) {
    String stripped = text.strip();
    Matcher form = FORM.matcher(stripped);
    if (stripped.isEmpty() || !form.matches()) {
      throw new IllegalArgumentException(
          "'" + text + "' is not a duration: write 250ms, 90s, 15m, 2h or 1h30m");
    }
    try {
      return Duration.ofDays(part(form, 1))
          .plusHours(part(form, 2))
          .plusMinutes(part(form, 3))
          .plusSeconds(part(form, 4))
          .plusMillis(part(form, 5));
    } catch (ArithmeticException | NumberFormatException e) {
      throw new IllegalArgumentException("'" + text + "' is too long a duration", e);
    }
  }

  /// The shortest text that {@link #parse} reads back as the same duration. Parts below a
  /// millisecond are dropped.
  public static String format(Duration duration) {
    if (duration.toMillis() == 0) {
      return "0s";
    }
    StringBuilder text = new StringBuilder();
    append(text, duration.toDaysPart(), "d");
    append(text, duration.toHoursPart(), "h");
    append(text, duration.toMinutesPart(), "m");
    append(text, duration.toSecondsPart(), "s");
    append(text, duration.toMillisPart(), "ms");
    return text.toString();
  }

  private static void append(StringBuilder text, long amount, String unit) {
    if (amount != 0) {
      text.append(amount).append(unit);
    }
  }

  private static long part(Matcher form, int group) {
    String digits = form.group(group);
    return digits == null ? 0 : Long.parseLong(digits);
  }
}
