package io.headgate.scheduler;

import com.google.protobuf.util.Timestamps;
import io.headgate.proto.scheduler.v1.ListUsageIntervalsRequest;
import io.headgate.proto.scheduler.v1.ReportUsageRequest;
import io.headgate.proto.scheduler.v1.UsageDimension;
import io.headgate.proto.scheduler.v1.UsageReportServiceGrpc;
import io.headgate.proto.scheduler.v1.UsageReportServiceGrpc.UsageReportServiceBlockingStub;
import io.headgate.scheduler.store.PostgresUsageStore;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import org.HdrHistogram.Histogram;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;

/// The ledger of a month with a million jobs, and of a year: its size, the time to sum it up, and
/// the time of reports. 50 policies with 20 users each use 5 profiles in 4 pools.
record LoadUsage(LoadRig rig, LoadFigures figures) {
  private static final int JOBS = 1_000_000;
  private static final int DAYS = 30;
  private static final int REPORTS = 10;
  private static final int MONTHS = 12;
  private static final double NANOS_PER_SECOND = 1e9;
  private static final double BYTES_PER_GIB = 1L << 30;

  private static final String INTERVALS =
      """
      insert into usage_interval (tenant, departments, policy, group_name, queue, profile, pool,
        user_id, job_id, attempt, since, until, entitled, over_reservation, above_limit, held,
        waited_ms, preempted, lost, price, currency, nodes, devices, device_uuids, device_units)
      select 'acme', '{research}', 'policy-' || p, 'group-' || p, 'policy-' || p || '-' || f,
        'profile-' || f, 'pool-' || i %% 4, 'user-' || p || '-' || i / 50 %% 20, i, 1, at,
        at + (1 + i %% 7200) * interval '1 second', 126000, 63000, 0, 0, i %% 100000, i %% 97 = 0, 0,
        1.2, 'EUR', array['node-' || i %% 500], array[(i %% 8)::int],
        array['GPU-' || md5((i %% 4000)::text)], array[189000]
      from (select i, i %% 50 as p, i / 50 %% 5 as f,
          date_trunc('milliseconds', '%s'::timestamptz + i * interval '1 second' * %d / %d) as at
        from generate_series(1, %d) as i) as jobs\
      """;

  private static final String STEPS =
      """
      insert into pool_step (tenant, pool, at, capacity, entitled, over_reservation, above_limit,
        held, idle, unusable, down)
      select 'acme', 'pool-' || i %% 4, date_trunc('milliseconds',
          '%s'::timestamptz + i * interval '1 second' * %d / %d), 126000000, i, 0, 0, 0,
        126000000 - i, 0, 0
      from generate_series(1, %d) as i\
      """;

  private static final String YEAR =
      """
      insert into usage_day select at - m * interval '30 days', tenant, departments, policy,
        group_name, queue, profile, pool, user_id, price, currency, entitled, over_reservation,
        above_limit, held, lost, preemptions, starts, busy_ms, measured_ms
      from usage_day, generate_series(1, %1$d) as m;
      insert into wait_day select at - m * interval '30 days', tenant, departments, policy, queue,
        profile, pool, user_id, bucket, starts
      from wait_day, generate_series(1, %1$d) as m\
      """;

  private static final String SIZE =
      """
      select sum(pg_total_relation_size(relid)) from pg_stat_user_tables
      where relname ~ '^(usage_|wait_|pool_step|pool_hour|pool_day)'\
      """;

  void measure() {
    Instant begin = Instant.now().truncatedTo(ChronoUnit.DAYS).minus(Duration.ofDays(DAYS));
    long seconds = Duration.ofDays(DAYS).toSeconds();
    try (Connection connection = rig.connect();
        Statement statement = connection.createStatement()) {
      statement.execute("set headgate.tenant = '*'");
      statement.execute(INTERVALS.formatted(begin, seconds, JOBS, JOBS));
      // Three changes of a pool for each job.
      statement.execute(STEPS.formatted(begin, seconds, 3 * JOBS, 3 * JOBS));
      statement.execute("analyze");
      long begun = System.nanoTime();
      int hours =
          new PostgresUsageStore(DSL.using(connection, SQLDialect.POSTGRES)).sumUp(DAYS * 24);
      figures.print(
          "usage_sum_up_hour",
          Map.of("jobs", Integer.toString(JOBS)),
          (System.nanoTime() - begun) / NANOS_PER_SECOND / Math.max(1, hours),
          "s");
      statement.execute("analyze");
      figures.print(
          "usage_size",
          Map.of("jobs", Integer.toString(JOBS)),
          size(statement) / BYTES_PER_GIB,
          "GiB",
          0,
          OptionalDouble.of(2));
      report("month", begin, 1);
      intervals("all", begin, List.of());
      intervals("one node", begin, List.of("node-7"));
      statement.execute(YEAR.formatted(MONTHS - 1));
      statement.execute("analyze");
      report("year", begin.minus(Duration.ofDays(DAYS * (MONTHS - 1L))), 3);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static double size(Statement statement) throws SQLException {
    try (ResultSet size = statement.executeQuery(SIZE)) {
      size.next();
      return size.getDouble(1);
    }
  }

  /// Pages of single intervals of the month.
  private void intervals(String what, Instant since, List<String> nodes) {
    UsageReportServiceBlockingStub reports = UsageReportServiceGrpc.newBlockingStub(rig.channel());
    Histogram times = LoadFigures.histogram();
    String token = "";
    for (int i = 0; i < REPORTS; i++) {
      long begun = System.nanoTime();
      token =
          reports
              .listUsageIntervals(
                  ListUsageIntervalsRequest.newBuilder()
                      .setParent("tenants/acme")
                      .setStartTime(Timestamps.fromMillis(since.toEpochMilli() + 1))
                      .addAllNodes(nodes)
                      .setPageSize(1000)
                      .setPageToken(token)
                      .build())
              .getNextPageToken();
      times.recordValue(System.nanoTime() - begun);
    }
    figures.print(
        "usage_intervals_page",
        Map.of("of", what),
        times.getValueAtPercentile(50) / NANOS_PER_SECOND,
        "s",
        0,
        OptionalDouble.of(1));
  }

  private void report(String period, Instant since, double goalSeconds) {
    UsageReportServiceBlockingStub reports = UsageReportServiceGrpc.newBlockingStub(rig.channel());
    for (List<UsageDimension> by :
        List.of(
            List.of(UsageDimension.USAGE_DIMENSION_POLICY, UsageDimension.USAGE_DIMENSION_POOL),
            List.of(UsageDimension.USAGE_DIMENSION_USER))) {
      Histogram times = LoadFigures.histogram();
      for (int i = 0; i < REPORTS; i++) {
        long begun = System.nanoTime();
        reports.reportUsage(
            ReportUsageRequest.newBuilder()
                .setParent("tenants/acme")
                .setStartTime(Timestamps.fromMillis(since.toEpochMilli() + 1))
                .addAllBy(by)
                .build());
        times.recordValue(System.nanoTime() - begun);
      }
      figures.print(
          "usage_report_" + period,
          Map.of("by", by.toString()),
          times.getValueAtPercentile(50) / NANOS_PER_SECOND,
          "s",
          0,
          OptionalDouble.of(goalSeconds));
    }
  }
}
