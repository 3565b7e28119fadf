package io.headgate.sdk.cli.output;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Times for people: `3m`, `2h11m`, `14:32`.
public record TimeText(Form form, Clock clock, ZoneId zone) {
  private static final DateTimeFormatter CLOCK_TIME =
      DateTimeFormatter.ofPattern("HH:mm", Locale.ROOT);
  private static final DateTimeFormatter SECONDS =
      DateTimeFormatter.ofPattern("HH:mm:ss", Locale.ROOT);
  private static final DateTimeFormatter DAY_AND_TIME =
      DateTimeFormatter.ofPattern("MMM d HH:mm", Locale.ENGLISH);
  private static final DateTimeFormatter FULL =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss", Locale.ROOT);

  /// `2026-11-21T14:18:00Z`, also with a fraction of a second.
  private static final Pattern UTC =
      Pattern.compile("\\b\\d{4}-\\d\\d-\\d\\dT\\d\\d(:[0-5]\\d){2}(\\.\\d{1,9})?Z\\b");

  public static final String NONE = "-";

  /// Values of `--time`.
  public enum Form {
    RELATIVE,
    LOCAL,
    UTC
  }

  /// RFC 3339, UTC; empty where there is none.
  public static String machine(@Nullable Instant time) {
    return time == null ? "" : time.toString();
  }

  /// The time since an instant: `3m`; with `--time local` or `utc`, the instant.
  public String ago(@Nullable Instant time) {
    if (time == null) {
      return NONE;
    }
    return form == Form.RELATIVE
        ? span(Duration.between(time, clock.instant()))
        : FULL.format(time.atZone(effectiveZone()));
  }

  /// A time near now: `14:32`, on another day `Nov 22 14:32`.
  public String at(@Nullable Instant time) {
    if (time == null) {
      return NONE;
    }
    ZonedDateTime there = time.atZone(effectiveZone());
    boolean today =
        there
            .truncatedTo(ChronoUnit.DAYS)
            .equals(clock.instant().atZone(effectiveZone()).truncatedTo(ChronoUnit.DAYS));
    return (today ? CLOCK_TIME : DAY_AND_TIME).format(there);
  }

  /// The time with seconds: `10:00:20`, on another day `2026-11-21 10:00:20`.
  public String exact(@Nullable Instant time) {
    if (time == null) {
      return NONE;
    }
    ZonedDateTime there = time.atZone(effectiveZone());
    boolean today =
        there
            .truncatedTo(ChronoUnit.DAYS)
            .equals(clock.instant().atZone(effectiveZone()).truncatedTo(ChronoUnit.DAYS));
    return (today ? SECONDS : FULL).format(there);
  }

  /// A server's sentence, with its instants of UTC as [#at] shows them.
  public String inSentence(String sentence) {
    return UTC.matcher(sentence).replaceAll(found -> readable(found.group()));
  }

  private String readable(String instant) {
    try {
      return at(Instant.parse(instant));
    } catch (DateTimeParseException _) {
      // Such as February 30th: no server's time.
      return instant;
    }
  }

  /// The time until an instant: `in 18m`; `now` for the past.
  public String until(Instant time) {
    Duration left = Duration.between(clock.instant(), time);
    return left.isNegative() || left.isZero() ? "now" : "in " + span(left);
  }

  /// The zone of the times that are shown.
  public ZoneId effectiveZone() {
    return form == Form.UTC ? ZoneOffset.UTC : zone;
  }

  /// The two largest units: `12s`, `40m`, `2h11m`, `1d`, `3d4h`.
  public static String span(Duration duration) {
    Duration shown = duration.isNegative() ? Duration.ZERO : duration;
    long days = shown.toDays();
    if (days > 0) {
      return days + "d" + (shown.toHoursPart() > 0 && days < 10 ? shown.toHoursPart() + "h" : "");
    }
    if (shown.toHours() > 0) {
      return shown.toHours() + "h" + (shown.toMinutesPart() > 0 ? shown.toMinutesPart() + "m" : "");
    }
    return shown.toMinutes() > 0 ? shown.toMinutes() + "m" : shown.toSeconds() + "s";
  }
}
