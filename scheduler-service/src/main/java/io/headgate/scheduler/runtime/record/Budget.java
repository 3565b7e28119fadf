package io.headgate.scheduler.runtime.record;

import io.headgate.scheduler.core.catalog.SpentBudget.Level;
import io.headgate.scheduler.core.catalog.TenantId;
import java.math.BigDecimal;
import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.temporal.TemporalAdjusters;
import java.util.Comparator;
import java.util.Optional;

/// A bound on the use by jobs of a policy, of a department's members or of a tenant in a period.
///
/// @param amount of GPU-hours or of money, above 0
/// @param currency of the money; absent: GPU-hours
/// @param warnAt percentage of the amount from which it warns, 1 to 100
public record Budget(
    Key key,
    BigDecimal amount,
    Optional<String> currency,
    Per per,
    int warnAt,
    WhenSpent whenSpent) {
  private static final BigDecimal HUNDRED = BigDecimal.valueOf(100);

  /// The owner of a budget. A policy, department or tenant has at most one.
  ///
  /// @param name of the department or policy; of a tenant its id
  public record Key(TenantId tenant, Level level, String name) implements Comparable<Key> {
    private static final Comparator<Key> ORDER =
        Comparator.comparing(Key::tenant).thenComparing(Key::level).thenComparing(Key::name);

    @Override
    public int compareTo(Key other) {
      return ORDER.compare(this, other);
    }

    /// `policy ai-dev`.
    public String subject() {
      return level.word() + " " + name;
    }
  }

  /// The time after which a budget begins anew. Periods begin and end at midnight UTC.
  public enum Per {
    DAY,
    WEEK,
    MONTH,
    YEAR;

    /// The period in which a time is.
    public Period at(Instant time) {
      LocalDate day = time.atZone(ZoneOffset.UTC).toLocalDate();
      LocalDate first =
          switch (this) {
            case DAY -> day;
            case WEEK -> day.with(TemporalAdjusters.previousOrSame(DayOfWeek.MONDAY));
            case MONTH -> day.withDayOfMonth(1);
            case YEAR -> day.withDayOfYear(1);
          };
      LocalDate next =
          switch (this) {
            case DAY -> first.plusDays(1);
            case WEEK -> first.plusWeeks(1);
            case MONTH -> first.plusMonths(1);
            case YEAR -> first.plusYears(1);
          };
      return new Period(midnight(first), midnight(next));
    }

    private static Instant midnight(LocalDate day) {
      return day.atStartOfDay(ZoneOffset.UTC).toInstant();
    }
  }

  /// A period of a budget.
  public record Period(Instant start, Instant end) {}

  /// The effect of a spent budget until its period ends; the mildest first.
  public enum WhenSpent {
    /// Nothing else.
    WARN,
    /// The policies reserve nothing.
    YIELD,
    /// Their jobs wait.
    WAIT,
    /// Their jobs wait, and those that run are stopped and wait.
    STOP
  }

  /// How much of a budget is used.
  public enum State {
    OK,
    WARNED,
    SPENT
  }

  /// The state of the budget.
  ///
  /// @param used in its unit
  public State state(BigDecimal used) {
    if (used.compareTo(amount) >= 0) {
      return State.SPENT;
    }
    return used.multiply(HUNDRED).compareTo(amount.multiply(BigDecimal.valueOf(warnAt))) >= 0
        ? State.WARNED
        : State.OK;
  }

  /// `5000 GPU-hours`, `12000.50 EUR`.
  public String text(BigDecimal value) {
    return value.toPlainString() + " " + currency.orElse("GPU-hours");
  }
}
