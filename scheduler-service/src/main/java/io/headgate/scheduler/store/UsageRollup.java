package io.headgate.scheduler.store;

import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import org.jooq.DSLContext;

/// Sums the ledger of usage up by hour and day. An hour is summed up once no interval that touches
/// it can be written any more: all that began before its end are over, and are committed. Then its
/// sums never change. Each call may be repeated at any time by any replica: the row of the level is
/// locked first, and says how far the sums reach.
final class UsageRollup {
  /// The bucket of a waiting time: eight for each doubling.
  static final String BUCKET = "floor(8 * log(2, waited_ms + 1))::integer";

  /// A batch is committed sooner than this after its decision, or never.
  private static final Duration COMMITTED = Duration.ofMinutes(1);

  private static final String FINAL_UNTIL =
      """
      select least(
        (select min(metered_since) from attempt where ended_at is null),
        (select min(since) from held_slices),
        clock_timestamp() - ? * interval '1 second')\
      """;

  private static final String BEGIN =
      """
      select least(
        (select min(since) from usage_interval), (select min(at) from pool_step))\
      """;

  private static final String FIRST_HOUR =
      "select least((select min(at) from usage_hour), (select min(at) from pool_hour))";

  private static final String LOCK = "select until from usage_rollup where level = ? for update";

  private static final String REACHES =
      """
      insert into usage_rollup (level, until) values (?, ?::timestamptz)
      on conflict (level) do update set until = excluded.until\
      """;

  private static final String USAGE_HOUR =
      """
      insert into usage_hour (at, tenant, departments, policy, group_name, queue, profile, pool,
        user_id, price, currency, entitled, over_reservation, above_limit, held, lost, preemptions,
        starts, busy_ms, measured_ms)
      select b, tenant, departments, policy, group_name, queue, profile, pool, user_id, price,
        currency, sum(entitled * ms), sum(over_reservation * ms), sum(above_limit * ms),
        sum(held * ms), coalesce(sum(lost) filter (where until <= e), 0),
        count(*) filter (where preempted and until <= e),
        count(*) filter (where waited_ms is not null and since >= b),
        coalesce(sum(busy_ms) filter (where until <= e), 0),
        coalesce(sum(measured_ms) filter (where until <= e), 0)
      from (
        select *, (extract(epoch from least(until, e) - greatest(since, b)) * 1000)::bigint as ms
        from usage_interval,
          (select ?::timestamptz as b, ?::timestamptz as e) as hour
        where until > ?::timestamptz and until <= ?::timestamptz + interval '6 hours'
          and since < e) as clipped
      group by b, tenant, departments, policy, group_name, queue, profile, pool, user_id, price,
        currency\
      """;

  private static final String WAIT_HOUR =
      """
      insert into wait_hour (at, tenant, departments, policy, queue, profile, pool, user_id, bucket,
        starts)
      select ?::timestamptz, tenant, departments, policy, queue, profile, pool, user_id, %s, count(*)
      from usage_interval
      where waited_ms is not null and since >= ?::timestamptz and since < ?::timestamptz
        and until > ?::timestamptz and until <= ?::timestamptz + interval '6 hours'
      group by 1, 2, 3, 4, 5, 6, 7, 8, 9\
      """
          .formatted(BUCKET);

  /// The balances of pools in a period `? to ?`, as unit-milliseconds.
  static final String POOLS =
      """
      with recursive each as (
        (select tenant, pool from pool_step order by tenant, pool limit 1)
        union all
        select next.tenant, next.pool from each, lateral (
          select tenant, pool from pool_step
          where (tenant, pool) > (each.tenant, each.pool) order by tenant, pool limit 1) as next),
      period as (select ?::timestamptz as b, ?::timestamptz as e),
      steps as (
        select before.* from period, each, lateral (
          select * from pool_step where tenant = each.tenant and pool = each.pool and at < b
          order by at desc limit 1) as before
        union all
        select pool_step.* from period, pool_step where at >= b and at < e),
      spans as (
        select *, (extract(epoch from
          lead(greatest(at, b), 1, e) over (partition by tenant, pool order by at)
          - greatest(at, b)) * 1000)::bigint as ms
        from steps, period)
      select tenant, pool, sum(capacity * ms) as capacity, sum(entitled * ms) as entitled,
        sum(over_reservation * ms) as over_reservation, sum(above_limit * ms) as above_limit,
        sum(held * ms) as held, sum(idle * ms) as idle, sum(unusable * ms) as unusable,
        sum(down * ms) as down
      from spans group by tenant, pool\
      """;

  private static final String POOL_HOUR =
      """
      insert into pool_hour (at, tenant, pool, capacity, entitled, over_reservation, above_limit,
        held, idle, unusable, down)
      select ?::timestamptz, sums.* from (%s) as sums\
      """
          .formatted(POOLS);

  private static final List<String> DAYS =
      List.of(
          """
          insert into usage_day (at, tenant, departments, policy, group_name, queue, profile, pool,
            user_id, price, currency, entitled, over_reservation, above_limit, held, lost,
            preemptions, starts, busy_ms, measured_ms)
          select ?::timestamptz, tenant, departments, policy, group_name, queue, profile, pool,
            user_id, price, currency, sum(entitled), sum(over_reservation), sum(above_limit),
            sum(held), sum(lost), sum(preemptions), sum(starts), sum(busy_ms), sum(measured_ms)
          from usage_hour where at >= ?::timestamptz and at < ?::timestamptz
          group by tenant, departments, policy, group_name, queue, profile, pool, user_id, price,
            currency\
          """,
          """
          insert into wait_day (at, tenant, departments, policy, queue, profile, pool, user_id,
            bucket, starts)
          select ?::timestamptz, tenant, departments, policy, queue, profile, pool, user_id, bucket,
            sum(starts)
          from wait_hour where at >= ?::timestamptz and at < ?::timestamptz
          group by tenant, departments, policy, queue, profile, pool, user_id, bucket\
          """,
          """
          insert into pool_day (at, tenant, pool, capacity, entitled, over_reservation, above_limit,
            held, idle, unusable, down)
          select ?::timestamptz, tenant, pool, sum(capacity), sum(entitled), sum(over_reservation),
            sum(above_limit), sum(held), sum(idle), sum(unusable), sum(down)
          from pool_hour where at >= ?::timestamptz and at < ?::timestamptz
          group by tenant, pool\
          """);

  private final DSLContext sql;

  /// @param sql reaches every tenant's rows
  UsageRollup(DSLContext sql) {
    this.sql = sql;
  }

  /// Sums up the next hours and days that are final.
  ///
  /// @param limit the most hours
  /// @return how many hours; `limit`: there may be more
  int sumUp(int limit) {
    int hours = 0;
    while (hours < limit && nextHour()) {
      hours++;
      nextDay();
    }
    return hours;
  }

  private boolean nextHour() {
    return sql.transactionResult(transaction -> {
      DSLContext alone = transaction.dsl();
      Optional<Instant> begin =
          reaches(alone, "HOUR").or(() -> time(alone, BEGIN).map(UsageRollup::hour));
      Optional<Instant> end = begin.map(hour -> hour.plus(1, ChronoUnit.HOURS));
      Optional<Instant> isFinal = time(alone, FINAL_UNTIL, COMMITTED.toSeconds());
      if (end.isEmpty() || isFinal.isEmpty() || isFinal.get().isBefore(end.get())) {
        return false;
      }
      String from = begin.orElseThrow().toString();
      String until = end.get().toString();
      alone.execute(USAGE_HOUR, from, until, from, until);
      alone.execute(WAIT_HOUR, from, from, until, from, until);
      alone.execute(POOL_HOUR, from, from, until);
      alone.execute(REACHES, "HOUR", until);
      return true;
    });
  }

  private void nextDay() {
    sql.transaction(transaction -> {
      DSLContext alone = transaction.dsl();
      Optional<Instant> hours = reaches(alone, "HOUR");
      Optional<Instant> begin =
          reaches(alone, "DAY").or(() -> time(alone, FIRST_HOUR).map(UsageRollup::day));
      if (hours.isEmpty() || begin.isEmpty()) {
        return;
      }
      Instant end = begin.get().plus(1, ChronoUnit.DAYS);
      if (hours.get().isBefore(end)) {
        return;
      }
      String from = begin.get().toString();
      for (String day : DAYS) {
        alone.execute(day, from, from, end.toString());
      }
      alone.execute(REACHES, "DAY", end.toString());
    });
  }

  private static Optional<Instant> reaches(DSLContext alone, String level) {
    return time(alone, LOCK, level);
  }

  private static Optional<Instant> time(DSLContext sql, String query, Object... binds) {
    return sql.fetchOptional(query, binds)
        .map(row -> row.get(0, OffsetDateTime.class))
        .map(OffsetDateTime::toInstant);
  }

  private static Instant hour(Instant time) {
    return time.truncatedTo(ChronoUnit.HOURS);
  }

  private static Instant day(Instant time) {
    return time.truncatedTo(ChronoUnit.DAYS);
  }
}
