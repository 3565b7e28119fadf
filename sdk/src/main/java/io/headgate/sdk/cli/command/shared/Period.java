package io.headgate.sdk.cli.command.shared;

import io.headgate.sdk.cli.output.UsageException;
import io.headgate.sdk.config.DurationText;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.YearMonth;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.ResolverStyle;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// A period of time as users write it, in UTC: the last 30 days (`30d`), a month (`2026-11`), a day
/// (`2026-11-03`), or a time (`2026-11-03T10:00:00Z`).
///
/// @param until absent: now
public record Period(Instant since, Optional<Instant> until) {
  private static final Pattern MONTH = Pattern.compile("[0-9]{4}-[0-9]{2}");
  private static final Pattern DAY = Pattern.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}");
  private static final DateTimeFormatter SHOWN =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm", Locale.ROOT)
          .withResolverStyle(ResolverStyle.STRICT)
          .withZone(ZoneOffset.UTC);

  /// Reads the flags.
  ///
  /// @param since a month or a day without `until` is the period itself
  public static Period parse(String since, @Nullable String until, Instant now) {
    Instant begin = time("--since", since, now);
    Optional<Instant> end =
        until == null
            ? end(since).filter(time -> time.isBefore(now))
            : Optional.of(time("--until", until, now));
    if (!begin.isBefore(end.orElse(now))) {
      throw new UsageException(
          "the period begins at %s and ends at %s"
              .formatted(SHOWN.format(begin), SHOWN.format(end.orElse(now))),
          "INVALID_PERIOD",
          end.isPresent() ? "choose an earlier --since, or a later --until" : "choose a past time");
    }
    return new Period(begin, end);
  }

  private static Optional<Instant> end(String since) {
    if (MONTH.matcher(since).matches()) {
      return Optional.of(begin(YearMonth.parse(since).plusMonths(1).atDay(1)));
    }
    return DAY.matcher(since).matches()
        ? Optional.of(begin(LocalDate.parse(since).plusDays(1)))
        : Optional.empty();
  }

  private static Instant time(String flag, String text, Instant now) {
    try {
      if (MONTH.matcher(text).matches()) {
        return begin(YearMonth.parse(text).atDay(1));
      }
      if (DAY.matcher(text).matches()) {
        return begin(LocalDate.parse(text));
      }
      if (text.indexOf('T') > 0) {
        return Instant.parse(text);
      }
      Optional<Duration> ago = DurationText.parse(text);
      if (ago.isPresent()) {
        return now.minus(ago.get());
      }
    } catch (DateTimeException | ArithmeticException e) {
      // It is told below, as each other text that is no time.
    }
    throw new UsageException(
        "%s %s is no time".formatted(flag, text),
        "BAD_ARGUMENT",
        "write 30d, 12h, 2026-11, 2026-11-03 or 2026-11-03T10:00:00Z (UTC)");
  }

  private static Instant begin(LocalDate day) {
    return day.atStartOfDay().toInstant(ZoneOffset.UTC);
  }

  /// `2026-11-01 00:00 to 2026-11-27 14:02 UTC`.
  public static String text(Instant since, Instant until) {
    return "%s to %s UTC".formatted(SHOWN.format(since), SHOWN.format(until));
  }
}
