package io.headgate.sdk.cli.command.timeline;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// The period of a drawing, divided into equal cells.
record Axis(Instant since, Instant until, int cells, ZoneId zone) {
  private static final List<Duration> STEPS =
      List.of(
          Duration.ofSeconds(1),
          Duration.ofSeconds(5),
          Duration.ofSeconds(10),
          Duration.ofSeconds(30),
          Duration.ofMinutes(1),
          Duration.ofMinutes(2),
          Duration.ofMinutes(5),
          Duration.ofMinutes(10),
          Duration.ofMinutes(15),
          Duration.ofMinutes(30),
          Duration.ofHours(1),
          Duration.ofHours(2),
          Duration.ofHours(3),
          Duration.ofHours(6),
          Duration.ofHours(12),
          Duration.ofDays(1),
          Duration.ofDays(2),
          Duration.ofDays(7));

  private static final DateTimeFormatter SECONDS = format("HH:mm:ss");
  private static final DateTimeFormatter MINUTES = format("HH:mm");
  private static final DateTimeFormatter DAYS = format("MMM d");
  private static final DateTimeFormatter FULL = format("uuuu-MM-dd HH:mm");
  private static final DateTimeFormatter FULL_SECONDS = format("uuuu-MM-dd HH:mm:ss");

  /// A named time.
  record Tick(Instant at, String text) {}

  private static DateTimeFormatter format(String pattern) {
    return DateTimeFormatter.ofPattern(pattern, Locale.ENGLISH);
  }

  private long millis() {
    return Math.max(1, Duration.between(since, until).toMillis());
  }

  /// Where a cell begins; of the number of cells: the end.
  Instant time(int cell) {
    return since.plusMillis(Math.multiplyExact(millis(), (long) cell) / cells);
  }

  /// The position of a time in cells, within the period.
  double position(Instant time) {
    double part = (double) Duration.between(since, time).toMillis() / millis();
    return Math.clamp(part, 0, 1) * cells;
  }

  /// Round times, at least `apart` cells from each other.
  List<Tick> ticks(int apart) {
    long least = Math.max(1, millis() * apart / cells);
    Duration step =
        STEPS.stream()
            .filter(each -> each.toMillis() >= least)
            .findFirst()
            .orElseGet(() -> Duration.ofDays(7 * (1 + Duration.ofMillis(least).toDays() / 7)));
    List<Tick> ticks = new ArrayList<>();
    ZonedDateTime midnight = since.atZone(zone).truncatedTo(ChronoUnit.DAYS);
    long steps = Duration.between(midnight.toInstant(), since).dividedBy(step);
    for (Instant at = midnight.toInstant().plus(step.multipliedBy(steps));
        at.isBefore(until);
        at = at.plus(step)) {
      if (!at.isBefore(since)) {
        ticks.add(new Tick(at, text(at, step)));
      }
    }
    return ticks;
  }

  private String text(Instant at, Duration step) {
    ZonedDateTime there = at.atZone(zone);
    if (step.compareTo(Duration.ofMinutes(1)) < 0) {
      return SECONDS.format(there);
    }
    if (step.compareTo(Duration.ofDays(1)) >= 0) {
      return DAYS.format(there);
    }
    return there.getHour() == 0 && there.getMinute() == 0
        ? DAYS.format(there)
        : MINUTES.format(there);
  }

  /// `2026-11-21 13:00 to 14:00 UTC`.
  String period() {
    boolean isShort = millis() < Duration.ofMinutes(10).toMillis();
    DateTimeFormatter full = isShort ? FULL_SECONDS : FULL;
    ZonedDateTime begin = since.atZone(zone);
    ZonedDateTime end = until.atZone(zone);
    boolean isOneDay = begin.toLocalDate().equals(end.toLocalDate());
    return "%s to %s %s"
        .formatted(
            full.format(begin),
            (isOneDay ? isShort ? SECONDS : MINUTES : full).format(end),
            zone.normalized().equals(ZoneOffset.UTC) ? "UTC" : format("xxx").format(begin));
  }

  /// A time with its day and seconds.
  String exact(Instant time) {
    return FULL_SECONDS.format(time.atZone(zone));
  }
}
