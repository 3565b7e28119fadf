package io.headgate.sdk.cli.command.shared;

import io.headgate.sdk.cli.output.UsageException;
import io.headgate.sdk.config.DurationText;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.Optional;

/// A time to come as users write it: `30m` from now, `18:00` today or tomorrow, `2026-12-01T08:00`
/// (all in the zone of this machine), or `2026-12-01T08:00:00Z`.
public final class StartTime {
  private StartTime() {}

  /// Reads a flag or a key.
  public static Instant parse(String flag, String text, Instant now, ZoneId zone) {
    try {
      Optional<Duration> from = DurationText.parse(text);
      if (from.isPresent()) {
        return now.plus(from.get());
      }
      if (text.endsWith("Z")) {
        return Instant.parse(text);
      }
      if (text.indexOf('T') > 0) {
        return LocalDateTime.parse(text).atZone(zone).toInstant();
      }
      ZonedDateTime today = now.atZone(zone).with(LocalTime.parse(text));
      return (today.toInstant().isBefore(now) ? today.plusDays(1) : today).toInstant();
    } catch (DateTimeException | ArithmeticException e) {
      throw new UsageException(
          "%s %s is no time".formatted(flag, text),
          "BAD_FLAG_VALUE",
          "write 30m (from now), 18:00, 2026-12-01T08:00 or 2026-12-01T08:00:00Z");
    }
  }
}
