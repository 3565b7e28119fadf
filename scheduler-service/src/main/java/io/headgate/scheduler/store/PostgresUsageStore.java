package io.headgate.scheduler.store;

import io.headgate.scheduler.runtime.record.UsageStore;
import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.TemporalAdjusters;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jooq.DSLContext;
import org.jooq.exception.DataAccessException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Partitions, sums and retention of the ledger in PostgreSQL. Weeks run from Monday to Monday,
/// UTC, as those of events.
public final class PostgresUsageStore implements UsageStore {
  private static final Logger LOG = LoggerFactory.getLogger(PostgresUsageStore.class);

  private static final int WEEKS_AHEAD = 4;
  private static final int DIGITS = 8;
  private static final List<String> INTERVALS =
      List.of("usage_interval", "down_interval", "pool_step", "shortage_step");
  private static final List<String> HOURS = List.of("usage_hour", "wait_hour", "pool_hour");
  private static final List<String> DAYS = List.of("usage_day", "wait_day", "pool_day");

  /// The column by which the table is divided.
  private static final Map<String, String> TIMES =
      Map.of("usage_interval", "until", "down_interval", "until");

  private static final String PATIENCE = "set local lock_timeout = '2s'";

  /// Rows on their way to the default partition would be refused while a week is taken from it.
  private static final String NOBODY_WRITES = "select from leadership for update";

  private static final String CHILDREN =
      """
      select relname from pg_inherits join pg_class on pg_class.oid = inhrelid
      where inhparent = ?::regclass\
      """;

  /// A step that is in force is told again every day; without a leader it is kept.
  private static final String HAS_NEWEST =
      """
      select exists (
        select from %1$s as old where at < ?::timestamptz and %3$s > 0 and not exists (
          select from %1$s as next
          where next.tenant = old.tenant and next.%2$s = old.%2$s and next.at > old.at))\
      """;

  private final DSLContext sql;
  private final UsageRollup rollup;

  /// @param sql reaches every tenant's rows
  public PostgresUsageStore(DSLContext sql) {
    this.sql = sql;
    this.rollup = new UsageRollup(sql);
  }

  @Override
  public void prepareWeeks(Instant now) {
    LocalDate monday = monday(now);
    for (List<String> tables : List.of(INTERVALS, HOURS)) {
      for (String table : tables) {
        for (int ahead = 0; ahead <= WEEKS_AHEAD; ahead++) {
          prepare(table, monday.plusWeeks(ahead));
        }
      }
    }
  }

  private static LocalDate monday(Instant time) {
    return LocalDate.ofInstant(time, ZoneOffset.UTC)
        .with(TemporalAdjusters.previousOrSame(DayOfWeek.MONDAY));
  }

  private void prepare(String table, LocalDate monday) {
    if (!isToBeMade(sql, table, monday)) {
      return;
    }
    try {
      sql.transaction(transaction -> {
        DSLContext alone = transaction.dsl();
        alone.execute(PATIENCE);
        alone.execute(NOBODY_WRITES);
        if (isToBeMade(alone, table, monday)) {
          alone.execute("select add_ledger_week(?, ?::date)", table, monday);
        }
      });
    } catch (DataAccessException e) {
      // Others hold the table; the next look is soon enough.
      LOG.debug("cannot create the week of {} of {}, trying again later", monday, table, e);
    }
  }

  /// A week that has begun without a partition stays without: its rows are in the rest then.
  private static boolean isToBeMade(DSLContext sql, String table, LocalDate monday) {
    return !weeks(sql, table).contains(monday)
        && !sql.fetchSingle(
                "select exists (select from %s where %s >= ?::timestamptz and %s < ?::timestamptz)"
                    .formatted(
                        table, TIMES.getOrDefault(table, "at"), TIMES.getOrDefault(table, "at")),
                begin(monday).toString(),
                begin(monday.plusWeeks(1)).toString())
            .get(0, boolean.class);
  }

  private static Instant begin(LocalDate monday) {
    return monday.atStartOfDay().toInstant(ZoneOffset.UTC);
  }

  private static Set<LocalDate> weeks(DSLContext sql, String table) {
    return Set.copyOf(
        sql
            .fetch(CHILDREN, table)
            .map(row -> row.get(0, String.class).substring(table.length() + 1))
            .stream()
            .filter(day -> day.length() == DIGITS && day.chars().allMatch(Character::isDigit))
            .map(day -> LocalDate.parse(day, DateTimeFormatter.BASIC_ISO_DATE))
            .toList());
  }

  @Override
  public int sumUp(int limit) {
    return rollup.sumUp(limit);
  }

  @Override
  public void forget(Instant intervalsBefore, Instant hoursBefore, Instant daysBefore) {
    Optional<Instant> hours = reaches("HOUR");
    Optional<Instant> days = reaches("DAY");
    if (hours.isEmpty() || days.isEmpty()) {
      return;
    }
    INTERVALS.forEach(table -> forget(table, earlier(intervalsBefore, hours.get())));
    HOURS.forEach(table -> forget(table, earlier(hoursBefore, days.get())));
    for (String table : DAYS) {
      sql.execute("delete from " + table + " where at < ?::timestamptz", daysBefore.toString());
    }
  }

  private Optional<Instant> reaches(String level) {
    return sql.fetchOptional("select until from usage_rollup where level = ?", level)
        .map(row -> row.get(0, OffsetDateTime.class).toInstant());
  }

  private static Instant earlier(Instant a, Instant b) {
    return a.isBefore(b) ? a : b;
  }

  private void forget(String table, Instant before) {
    for (LocalDate monday : weeks(sql, table).stream().sorted().toList()) {
      Instant end = begin(monday.plusWeeks(1));
      if (end.isAfter(before) || hasNewest(table, end)) {
        return;
      }
      sql.transaction(transaction -> {
        transaction.dsl().execute(PATIENCE);
        transaction.dsl().execute("select drop_ledger_week(?, ?::date)", table, monday);
      });
      LOG.info("deleted the week of {} of {}", monday, table);
    }
  }

  private boolean hasNewest(String table, Instant end) {
    return switch (table) {
      case "pool_step" -> exists(HAS_NEWEST.formatted(table, "pool", "capacity"), end);
      case "shortage_step" -> exists(HAS_NEWEST.formatted(table, "policy", "missing"), end);
      default -> false;
    };
  }

  private boolean exists(String query, Instant end) {
    return sql.fetchSingle(query, end.toString()).get(0, boolean.class);
  }
}
