package io.headgate.scheduler.store;

import io.headgate.scheduler.runtime.record.UsageReader.Asked;
import io.headgate.scheduler.runtime.record.UsageReader.Dimension;
import io.headgate.scheduler.store.UsagePeriods.Period;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/// Queries over the ledger of usage. Their texts are made of constants; values are bound.
final class UsageSql {
  /// The longest interval, as in [io.headgate.scheduler.core.ledger.Ledger#LONGEST]: so an interval
  /// that touches a period ends soon after it.
  private static final String LONGEST = "interval '6 hours'";

  /// Milliseconds of the interval within the period `? to ?`.
  private static final String MILLIS =
      """
      (extract(epoch from least(until, ?::timestamptz) - greatest(since, ?::timestamptz)) * 1000)\
      ::bigint\
      """;

  /// Intervals that ended after the leader was asked count among those that it said to last.
  private static final String TOUCHES =
      "until > ?::timestamptz and since < ?::timestamptz and until <= least(?::timestamptz + "
          + LONGEST
          + ", ?::timestamptz)";

  private final StringBuilder text = new StringBuilder();
  private final List<Object> binds = new ArrayList<>();

  String text() {
    return text.toString();
  }

  Object[] binds() {
    return binds.toArray();
  }

  /// The column of the ledger that has the values of the dimension.
  static String column(Dimension dimension) {
    return switch (dimension) {
      case TENANT, POLICY, QUEUE, PROFILE, POOL -> dimension.name().toLowerCase(Locale.ROOT);
      case DEPARTMENT -> "departments";
      case GROUP -> "group_name";
      case USER -> "user_id";
    };
  }

  /// Sums by dimension and price.
  static UsageSql sums(Asked asked, List<Dimension> by, UsagePeriods periods) {
    UsageSql sql = new UsageSql();
    String keys = keys(by);
    sql.text.append(
        """
        select %s price, currency, sum(entitled) as entitled,
          sum(over_reservation) as over_reservation, sum(above_limit) as above_limit,
          sum(held) as held, sum(busy_ms) as busy, sum(measured_ms) as measured, sum(lost) as lost,
          sum(preemptions)::bigint as preemptions, sum(starts)::bigint as starts
        from (\
        """
            .formatted(keys));
    sql.parts(
        periods,
        period -> sql.summed("usage_day", keys + SUMS, asked, period),
        period -> sql.summed("usage_hour", keys + SUMS, asked, period),
        period -> sql.clipped(keys, asked, period));
    sql.text.append(") as parts group by %s price, currency".formatted(keys));
    return sql;
  }

  private static final String SUMS =
      """
      price, currency, entitled, over_reservation, above_limit, held, busy_ms, measured_ms, lost,
        preemptions, starts\
      """;

  private void clipped(String keys, Asked asked, Period period) {
    text.append(
        """
        select %s price, currency, entitled * ms as entitled,
          over_reservation * ms as over_reservation, above_limit * ms as above_limit,
          held * ms as held, case when ends then coalesce(busy_ms, 0) else 0 end as busy_ms,
          case when ends then coalesce(measured_ms, 0) else 0 end as measured_ms,
          case when ends then lost else 0 end as lost,
          (ends and preempted)::int::bigint as preemptions,
          (begins and waited_ms is not null)::int::bigint as starts
        from (
          select *, %s as ms, until <= ?::timestamptz as ends, since >= ?::timestamptz as begins
          from usage_interval where %s%s) as clipped\
        """
            .formatted(keys, MILLIS, TOUCHES, visible(asked)));
    bind(period.until(), period.from(), period.until(), period.from());
    bind(period.from(), period.until(), period.until(), asked.asOf());
    bindVisible(asked);
  }

  /// How long jobs had waited, by dimension and bucket.
  static UsageSql waits(Asked asked, List<Dimension> by, UsagePeriods periods) {
    UsageSql sql = new UsageSql();
    String keys = keys(by.stream().filter(each -> each != Dimension.GROUP).toList());
    sql.text.append("select %s bucket, sum(starts)::bigint as starts from (".formatted(keys));
    sql.parts(
        periods,
        period -> sql.summed("wait_day", keys + "bucket, starts", asked, period),
        period -> sql.summed("wait_hour", keys + "bucket, starts", asked, period),
        period -> {
          sql.text.append(
              """
              select %s %s as bucket, 1::bigint as starts from usage_interval
              where waited_ms is not null and since >= ?::timestamptz and since < ?::timestamptz
                and until <= least(?::timestamptz + %s, ?::timestamptz)%s\
              """
                  .formatted(keys, UsageRollup.BUCKET, LONGEST, visible(asked)));
          sql.bind(period.from(), period.until(), period.until(), asked.asOf());
          sql.bindVisible(asked);
        });
    sql.text.append(") as parts group by %s bucket".formatted(keys));
    return sql;
  }

  private static String keys(List<Dimension> by) {
    return by.stream().map(each -> column(each) + ", ").collect(Collectors.joining());
  }

  @FunctionalInterface
  private interface Part {
    void add(Period period);
  }

  private void parts(UsagePeriods periods, Part day, Part hour, Part rest) {
    boolean isFirst = true;
    for (var each :
        List.of(
            new Parts(periods.days(), day),
            new Parts(periods.hours(), hour),
            new Parts(periods.rest(), rest))) {
      for (Period period : each.periods()) {
        text.append(isFirst ? "" : "\nunion all\n");
        each.part().add(period);
        isFirst = false;
      }
    }
  }

  private record Parts(List<Period> periods, Part part) {}

  private void summed(String table, String columns, Asked asked, Period period) {
    text.append(
        "select %s from %s where at >= ?::timestamptz and at < ?::timestamptz%s"
            .formatted(columns, table, visible(asked)));
    bind(period.from(), period.until());
    bindVisible(asked);
  }

  /// By policy only: a user and a service account may share the name that the ledger has.
  private static String visible(Asked asked) {
    return (asked.tenant().isPresent() ? " and tenant = ?" : "")
        + (asked.viewer().seesAll() ? "" : " and policy = any (?::text[])");
  }

  private void bindVisible(Asked asked) {
    asked.tenant().ifPresent(tenant -> binds.add(tenant.name()));
    if (!asked.viewer().seesAll()) {
      binds.add(asked.viewer().teams().toArray(new String[0]));
    }
  }

  private void bind(Instant... times) {
    for (Instant time : times) {
      binds.add(time.toString());
    }
  }
}
