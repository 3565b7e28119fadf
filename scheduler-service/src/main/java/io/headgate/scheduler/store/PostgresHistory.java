package io.headgate.scheduler.store;

import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.runtime.record.HistoryStore;
import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.TemporalAdjusters;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jooq.DSLContext;
import org.jooq.exception.DataAccessException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// History in PostgreSQL: events in partitions of a week (Monday to Monday, UTC) named
/// `event_20261116`, jobs in plain tables.
public final class PostgresHistory implements HistoryStore {
  private static final Logger LOG = LoggerFactory.getLogger(PostgresHistory.class);

  private static final int WEEKS_AHEAD = 4;

  /// Partitions are added and dropped under a lock on all of them. If the lock is not free soon,
  /// the statement gives up in favour of readers and the leader, and is tried again the next time.
  private static final String PATIENCE = "set local lock_timeout = '2s'";

  private static final String CHILDREN =
      """
      select relname from pg_inherits join pg_class on pg_class.oid = inhrelid
      where inhparent = 'event'::regclass\
      """;

  private static final String HAS_BEGUN =
      """
      select exists (
        select from event where time >= ?::timestamptz and time < ?::timestamptz)\
      """;

  /// Tables belong to the owner of the schema; these functions are all that a scheduler may do with
  /// them.
  private static final String ADD_WEEK = "select add_event_week(?::date)";

  private static final String DROP_WEEK = "select drop_event_week(?::date)";

  /// The server refuses an event that waits for the default partition while a week is taken from
  /// it. So the move locks this row, which every writer of events locks first.
  private static final String NOBODY_WRITES = "select from leadership for update";

  /// References are checked at the statement's end, when all of a job is gone. An array goes after
  /// its elements, which have its specification, and these stay until it has ended.
  private static final String FORGET_JOBS =
      """
      with gone as (
        select id from job
        where finished_at < ?::timestamptz and state = any (?)
          and id < (select max(id) from job)
          and (array_state is null
            or not exists (select from job as element where element.array_id = job.id))
          and (array_id is null or not exists (
            select from job as whole where whole.id = job.array_id and whole.finished_at is null))
        order by finished_at limit ? for update skip locked
      ), specs as (
        delete from job_spec using gone where job_spec.job_id = gone.id
      ), workers as (
        delete from attempt_worker using gone where attempt_worker.job_id = gone.id
      ), attempts as (
        delete from attempt using gone where attempt.job_id = gone.id
      )
      delete from job using gone where job.id = gone.id\
      """;

  private static final String FORGET_SINGLE_EVENTS =
      "select forget_single_events(?::timestamptz, ?)";

  private static final String[] OVER =
      Arrays.stream(JobState.values())
          .filter(JobState::isTerminal)
          .map(Enum::name)
          .toArray(String[]::new);

  private final DSLContext sql;

  /// @param sql reaches every tenant's rows
  public PostgresHistory(DSLContext sql) {
    this.sql = sql;
  }

  /// A week of events.
  private record Week(LocalDate monday) {
    private static final String PREFIX = "event_";
    private static final int DIGITS = 8;

    static Week of(Instant time) {
      return new Week(
          LocalDate.ofInstant(time, ZoneOffset.UTC)
              .with(TemporalAdjusters.previousOrSame(DayOfWeek.MONDAY)));
    }

    static boolean isName(String table) {
      String day = table.substring(Math.min(table.length(), PREFIX.length()));
      return day.length() == DIGITS && day.chars().allMatch(Character::isDigit);
    }

    static Week named(String table) {
      return new Week(
          LocalDate.parse(table.substring(PREFIX.length()), DateTimeFormatter.BASIC_ISO_DATE));
    }

    Week plus(int weeks) {
      return new Week(monday.plusWeeks(weeks));
    }

    String table() {
      return PREFIX + DateTimeFormatter.BASIC_ISO_DATE.format(monday);
    }

    Instant begin() {
      return monday.atStartOfDay().toInstant(ZoneOffset.UTC);
    }

    Instant end() {
      return plus(1).begin();
    }
  }

  /// By the clock of the database, so that a process whose own is wrong forgets nothing too early.
  public Instant now() {
    return sql.fetchSingle("select clock_timestamp()").get(0, OffsetDateTime.class).toInstant();
  }

  @Override
  public void prepareWeeks(Instant now) {
    for (int ahead = 0; ahead <= WEEKS_AHEAD; ahead++) {
      Week week = Week.of(now).plus(ahead);
      if (isToBeMade(sql, week)) {
        add(week);
      }
    }
  }

  /// A week that has begun without a partition stays without: its events are in the rest then, and
  /// are forgotten one by one.
  private static boolean isToBeMade(DSLContext sql, Week week) {
    return !partitions(sql).contains(week.table())
        && !sql.fetchSingle(HAS_BEGUN, week.begin().toString(), week.end().toString())
            .get(0, boolean.class);
  }

  private static List<String> partitions(DSLContext sql) {
    return sql.fetch(CHILDREN).map(row -> row.get(0, String.class));
  }

  private void add(Week week) {
    try {
      sql.transaction(transaction -> {
        DSLContext alone = transaction.dsl();
        alone.execute(PATIENCE);
        alone.execute(NOBODY_WRITES);
        if (!isToBeMade(alone, week)) {
          return;
        }
        alone.execute(ADD_WEEK, week.monday());
      });
    } catch (DataAccessException e) {
      // Others hold the table; the next look is soon enough.
      LOG.debug("cannot create partition {}, trying again later", week.table(), e);
    }
  }

  @Override
  public int forgetEvents(Instant before, int limit) {
    Set<Week> over =
        partitions(sql).stream()
            .filter(Week::isName)
            .map(Week::named)
            .filter(week -> !week.end().isAfter(before))
            .collect(Collectors.toSet());
    for (Week week : over) {
      sql.transaction(transaction -> {
        transaction.dsl().execute(PATIENCE);
        transaction.dsl().execute(DROP_WEEK, week.monday());
      });
      LOG.info("deleted the events of the week of {}", week.monday());
    }
    return sql.fetchSingle(FORGET_SINGLE_EVENTS, before.toString(), limit).get(0, int.class);
  }

  @Override
  public int forgetJobs(Instant endedBefore, int limit) {
    return sql.execute(FORGET_JOBS, endedBefore.toString(), OVER, limit);
  }
}
