package io.headgate.scheduler.store;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;

/// The parts of a period that are read from sums of days, from sums of hours, and from the
/// intervals themselves. Together they are the period, and no two overlap.
///
/// Example: from 22:30 until 02:15 two days later, all summed up. One day comes from the days, 1 +
/// 2 hours come from the hours, and 30 + 15 minutes from the intervals.
record UsagePeriods(List<Period> days, List<Period> hours, List<Period> rest) {
  /// @param from begin
  /// @param until end; never before `from`
  record Period(Instant from, Instant until) {
    boolean isEmpty() {
      return !from.isBefore(until);
    }
  }

  UsagePeriods {
    days = List.copyOf(days);
    hours = List.copyOf(hours);
    rest = List.copyOf(rest);
  }

  /// @param hoursUntil up to when hours are summed up
  /// @param daysUntil up to when days are
  static UsagePeriods of(Instant from, Instant until, Instant hoursUntil, Instant daysUntil) {
    Period hours = whole(ChronoUnit.HOURS, from, earlier(until, hoursUntil));
    if (hours.isEmpty()) {
      return new UsagePeriods(List.of(), List.of(), present(new Period(from, until)));
    }
    List<Period> rest = present(new Period(from, hours.from()), new Period(hours.until(), until));
    Period days = whole(ChronoUnit.DAYS, hours.from(), earlier(hours.until(), daysUntil));
    return days.isEmpty()
        ? new UsagePeriods(List.of(), List.of(hours), rest)
        : new UsagePeriods(
            List.of(days),
            present(new Period(hours.from(), days.from()), new Period(days.until(), hours.until())),
            rest);
  }

  private static Period whole(ChronoUnit unit, Instant from, Instant until) {
    Instant begin = from.truncatedTo(unit);
    return new Period(begin.isBefore(from) ? begin.plus(1, unit) : begin, until.truncatedTo(unit));
  }

  private static Instant earlier(Instant a, Instant b) {
    return a.isBefore(b) ? a : b;
  }

  private static List<Period> present(Period... periods) {
    List<Period> present = new ArrayList<>();
    for (Period period : periods) {
      if (!period.isEmpty()) {
        present.add(period);
      }
    }
    return present;
  }
}
