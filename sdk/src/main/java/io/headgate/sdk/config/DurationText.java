package io.headgate.sdk.config;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Durations as people write them: `90s`, `15m`, `2h`, `1h30m`, `12.5s`, `250ms`, `7d`.
public final class DurationText {
  private static final Pattern FORM =
      Pattern.compile(
          "(?:(\\d{1,6})d)?(?:(\\d{1,7})h)?(?:(\\d{1,9})m)?(?:(\\d{1,9}(?:\\.\\d{1,3})?)s)?"
              + "(?:(\\d{1,12})ms)?");

  private DurationText() {}

  /// Empty when the text is no duration.
  public static Optional<Duration> parse(String text) {
    Matcher matcher = FORM.matcher(text);
    if (text.isEmpty() || !matcher.matches()) {
      return Optional.empty();
    }
    return Optional.of(
        Duration.ofDays(number(matcher, 1))
            .plusHours(number(matcher, 2))
            .plusMinutes(number(matcher, 3))
            .plusMillis(thousandths(matcher.group(4)))
            .plusMillis(number(matcher, 5)));
  }

  private static long number(Matcher matcher, int group) {
    String digits = matcher.group(group);
    return digits == null ? 0 : Long.parseLong(digits);
  }

  private static long thousandths(@Nullable String decimal) {
    return decimal == null ? 0 : new BigDecimal(decimal).movePointRight(3).longValueExact();
  }

  /// The shortest exact text that [#parse] reads back: `40m`, `1h30m`, `0s`.
  public static String format(Duration duration) {
    StringBuilder text = new StringBuilder();
    append(text, duration.toHours(), "h");
    append(text, duration.toMinutesPart(), "m");
    append(text, duration.toSecondsPart(), "s");
    append(text, duration.toMillisPart(), "ms");
    return text.isEmpty() ? "0s" : text.toString();
  }

  private static void append(StringBuilder text, long amount, String unit) {
    if (amount != 0) {
      text.append(amount).append(unit);
    }
  }
}
