package io.headgate.scheduler.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.headgate.kit.db.Database;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.catalog.ProfileId;
import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.catalog.UserId;
import io.headgate.scheduler.core.job.Assignment;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.Slice;
import io.headgate.scheduler.core.job.WorkerPlace;
import io.headgate.scheduler.core.ledger.Entries;
import io.headgate.scheduler.core.ledger.Holding;
import io.headgate.scheduler.core.ledger.PoolBalance;
import io.headgate.scheduler.core.ledger.PoolStep;
import io.headgate.scheduler.core.ledger.Price;
import io.headgate.scheduler.core.ledger.ReservationStep;
import io.headgate.scheduler.core.ledger.ShortageStep;
import io.headgate.scheduler.core.ledger.Split;
import io.headgate.scheduler.core.ledger.Terms;
import io.headgate.scheduler.core.ledger.UsageInterval;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.runtime.record.UsageReader.Asked;
import io.headgate.scheduler.runtime.record.UsageReader.Capacity;
import io.headgate.scheduler.runtime.record.UsageReader.Dimension;
import io.headgate.scheduler.runtime.record.UsageReader.Report;
import io.headgate.scheduler.runtime.record.UsageReader.Row;
import io.headgate.scheduler.runtime.record.UsageReader.Shortage;
import io.headgate.scheduler.runtime.record.WaitingTimes;
import io.headgate.type.GpuQuantity;
import io.headgate.type.Viewer;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.jooq.DSLContext;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// Reports of the ledger: they are the same whether they come from intervals or from their sums.
final class PostgresUsageTest {
  @RegisterExtension static final PostgresFixture POSTGRES = PostgresFixture.of("scheduler");

  private static final TenantId ACME = new TenantId("acme");
  private static final PoolId POOL = new PoolId(ACME, "onprem");
  private static final Instant BEGIN = Instant.parse("2026-10-30T21:17:04.321Z");
  private static final Instant END = BEGIN.plus(Duration.ofDays(4));
  private static final long GPU = GpuQuantity.UNITS_PER_GPU;
  private static final Terms TERMS =
      new Terms(
          List.of("vision", "research"),
          Optional.of("ml"),
          Optional.of(new Price(new BigDecimal("1.20"), "EUR")));

  private Database database;
  private DSLContext across;
  private PostgresUsage usage;

  @BeforeEach
  void open() {
    database = Database.open(POSTGRES.fresh());
    across = database.acrossTenants(1);
    usage = new PostgresUsage(database);
  }

  @AfterEach
  void close() {
    database.close();
  }

  private void write(Entries entries) {
    Script script = new Script();
    UsageRows.add(script, entries);
    across.connection(script::run);
  }

  private static UsageInterval interval(
      TenantId tenant, String policy, String user, Instant from, Duration length, Split split) {
    return new UsageInterval(
        new Holding(
            new JobId(1),
            1,
            new PolicyId(tenant, policy),
            new QueueId(tenant, policy + "-one"),
            new ProfileId(tenant, "one"),
            new UserId(user),
            new Assignment(
                POOL,
                List.of(
                    new WorkerPlace(
                        new NodeId(tenant, "n"),
                        List.of(new Slice(0, "GPU-a", GpuQuantity.ONE, 0)),
                        0,
                        0)))),
        TERMS,
        from,
        from.plus(length),
        split,
        0,
        Optional.of(Duration.ofSeconds(90)),
        Optional.of(new UsageInterval.End(policy.equals("b"), 7)));
  }

  private static Asked asked(Instant from, Instant until) {
    return new Asked(Optional.of(ACME), Viewer.OF_ALL, from, until, END);
  }

  private static BigInteger big(long value) {
    return BigInteger.valueOf(value);
  }

  /// An independent sum over the intervals, by policy.
  private static Map<String, BigInteger> expected(
      List<UsageInterval> all, Instant from, Instant until) {
    Map<String, BigInteger> sums = new TreeMap<>();
    for (UsageInterval each : all) {
      long begin = Math.max(from.toEpochMilli(), each.from().toEpochMilli());
      long end = Math.min(until.toEpochMilli(), each.until().toEpochMilli());
      if (begin < end) {
        sums.merge(
            each.holding().policy().name(),
            big(end - begin).multiply(big(each.split().units())),
            BigInteger::add);
      }
    }
    return sums;
  }

  private static Map<String, BigInteger> used(Report report) {
    Map<String, BigInteger> used = new TreeMap<>();
    for (Row row : report.rows()) {
      BigInteger sum =
          row.sums().entitled().add(row.sums().overReservation()).add(row.sums().aboveLimit());
      if (sum.signum() != 0) {
        used.put(row.keys().getFirst(), sum);
      }
    }
    return used;
  }

  @Test
  void aReportIsTheSameFromIntervalsAndFromTheirSums() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    List<UsageInterval> all = new ArrayList<>();
    Instant time = BEGIN;
    while (time.isBefore(END.minus(Duration.ofHours(7)))) {
      Duration length = Duration.ofMillis(1 + random.nextLong(6 * 3_600_000L));
      long units = 1 + random.nextLong(GPU);
      long entitled = random.nextLong(units + 1);
      all.add(
          interval(
              ACME,
              random.nextBoolean() ? "a" : "b",
              "u" + random.nextInt(3),
              time,
              length,
              new Split(entitled, units - entitled, 0)));
      time = time.plusMillis(random.nextLong(1_800_000));
    }
    Entries entries = Entries.empty();
    entries.intervals().addAll(all);
    entries.pools().add(new PoolStep(POOL, BEGIN, PoolBalance.NOTHING));
    write(entries);
    List<Asked> periods = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      Instant from = BEGIN.plusMillis(random.nextLong(Duration.ofDays(3).toMillis()));
      periods.add(asked(from, from.plusMillis(1 + random.nextLong(86_400_000L))));
    }
    periods.add(asked(BEGIN, END));
    List<Report> before =
        periods.stream()
            .map(each -> usage.report(each, List.of(Dimension.POLICY), List.of()))
            .toList();

    int hours = new UsageRollup(across).sumUp(1_000);

    assertThat(hours).as("seed %d", seed).isGreaterThan(90);
    for (int i = 0; i < periods.size(); i++) {
      Asked each = periods.get(i);
      Report after = usage.report(each, List.of(Dimension.POLICY), List.of());
      assertThat(used(after))
          .as("seed %d, %s", seed, each)
          .isEqualTo(expected(all, each.from(), each.until()))
          .isEqualTo(used(before.get(i)));
      assertThat(after.rows()).as("seed %d, %s", seed, each).isEqualTo(before.get(i).rows());
      assertThat(after.total()).isEqualTo(before.get(i).total());
      assertThat(after.finalUntil()).isPresent();
    }
    assertThat(new UsageRollup(across).sumUp(10)).as("nothing is summed up twice").isZero();
  }

  @Test
  void anHourIsNotSummedUpWhileAnIntervalMayStillTouchIt() {
    Entries entries = Entries.empty();
    entries
        .intervals()
        .add(interval(ACME, "a", "u", BEGIN, Duration.ofHours(3), new Split(GPU, 0, 0)));
    write(entries);
    across.execute(
        """
        insert into held_slices (job_id, tenant, departments, policy, group_name, queue, profile,
          pool, user_id, since, currency, nodes, devices, device_uuids, device_units)
        values (9, 'acme', '{}', 'a', '', 'q', 'p', 'onprem', 'u', '2026-10-30T22:30:00Z', '',
          '{}', '{}', '{}', '{}')\
        """);

    assertThat(new UsageRollup(across).sumUp(10)).as("only the hour from 21:00 on").isEqualTo(1);
  }

  @Test
  void whatLastsCountsOnce() {
    Instant now = BEGIN.plus(Duration.ofHours(2));
    UsageInterval lasting =
        interval(ACME, "a", "u", BEGIN, Duration.ofHours(2), new Split(GPU, 0, 0));
    Entries later = Entries.empty();
    // It has ended and was written since the leader was asked.
    later
        .intervals()
        .add(interval(ACME, "a", "u", BEGIN, Duration.ofHours(3), new Split(GPU, 0, 0)));
    write(later);

    Report report =
        usage.report(
            new Asked(Optional.of(ACME), Viewer.OF_ALL, BEGIN.plusSeconds(60), now, now),
            List.of(Dimension.POOL, Dimension.USER, Dimension.DEPARTMENT),
            List.of(lasting));

    assertThat(report.rows()).hasSize(1);
    Row row = report.rows().getFirst();
    assertThat(row.keys()).containsExactly("onprem", "u", "research/vision");
    assertThat(row.sums().entitled()).isEqualTo(big(GPU * (7_200_000 - 60_000)));
    assertThat(row.sums().costs()).containsOnly(Map.entry("EUR", new BigDecimal("2.380000")));
    assertThat(row.sums().starts()).as("it began before the period").isZero();
  }

  @Test
  void aMemberSeesItsGroups() {
    Entries entries = Entries.empty();
    Duration hour = Duration.ofHours(1);
    entries.intervals().add(interval(ACME, "a", "ada", BEGIN, hour, new Split(GPU, 0, 0)));
    entries.intervals().add(interval(ACME, "b", "ada", BEGIN, hour, new Split(GPU, 0, 0)));
    entries.intervals().add(interval(ACME, "b", "bob", BEGIN, hour, new Split(GPU, 0, 0)));
    entries
        .intervals()
        .add(interval(new TenantId("other"), "a", "ada", BEGIN, hour, new Split(GPU, 0, 0)));
    write(entries);
    Viewer ada = Viewer.member("tenants/acme/users/ada", Set.of("a"), Set.of(), false);

    Report report =
        usage.report(
            new Asked(Optional.of(ACME), ada, BEGIN, END, END),
            List.of(Dimension.TENANT, Dimension.POLICY, Dimension.USER),
            List.of());

    assertThat(report.rows().stream().map(Row::keys))
        .as("a service account may be called ada, too")
        .containsExactly(List.of("acme", "a", "ada"));
  }

  @Test
  void aReservationCountsForAsLongAsItWasInForce() {
    Entries entries = Entries.empty();
    PolicyId policy = new PolicyId(ACME, "a");
    entries.reservations().add(new ReservationStep(policy, BEGIN, List.of(), 4 * GPU, 8 * GPU));
    entries
        .reservations()
        .add(
            new ReservationStep(
                policy, BEGIN.plus(Duration.ofHours(3)), List.of(), 2 * GPU, 8 * GPU));
    write(entries);

    Report report =
        usage.report(
            asked(BEGIN.plus(Duration.ofHours(1)), BEGIN.plus(Duration.ofHours(4))),
            List.of(Dimension.POLICY),
            List.of());

    assertThat(report.rows()).hasSize(1);
    assertThat(report.rows().getFirst().reserved())
        .hasValue(big(GPU * 3_600_000).multiply(big(2 * 4 + 2)));
    assertThat(report.total().reserved()).isEqualTo(report.rows().getFirst().reserved());
  }

  @Test
  void aShortageIsToldWithItsLongestTimeAndItsReasons() {
    Entries entries = Entries.empty();
    PolicyId policy = new PolicyId(ACME, "a");
    entries.shortages().add(lacking(policy, 0, 3, "CAPACITY"));
    entries.shortages().add(lacking(policy, 10, 1, "LIMIT"));
    entries.shortages().add(lacking(policy, 30, 0, ""));
    entries.shortages().add(lacking(policy, 40, 2, "CAPACITY"));
    entries.shortages().add(lacking(policy, 45, 0, ""));
    write(entries);

    List<Shortage> shortages = usage.shortages(asked(BEGIN.plusSeconds(300), END));

    assertThat(shortages)
        .containsExactly(
            new Shortage(
                "a",
                BigInteger.ZERO,
                big(GPU * 60_000).multiply(big(5 * 3 + 20 + 5 * 2)),
                Duration.ofMinutes(30),
                Duration.ofMinutes(25),
                Map.of(
                    "CAPACITY",
                    new Shortage.Part(big(GPU * 60_000).multiply(big(25)), Duration.ofMinutes(10)),
                    "LIMIT",
                    new Shortage.Part(
                        big(GPU * 60_000).multiply(big(20)), Duration.ofMinutes(20)))));
  }

  private static ShortageStep lacking(PolicyId policy, int minute, int gpus, String reason) {
    return new ShortageStep(
        policy,
        BEGIN.plus(Duration.ofMinutes(minute)),
        4 * GPU,
        gpus * GPU,
        Optional.of(reason).filter(each -> !each.isEmpty()));
  }

  @Test
  void theCapacityOfAPeriodIsMadeUpOfItsParts() {
    Entries entries = Entries.empty();
    entries
        .pools()
        .add(
            new PoolStep(
                POOL,
                BEGIN,
                new PoolBalance(8 * GPU, new Split(GPU, GPU, 0), GPU, 5 * GPU, GPU, 0)));
    entries
        .pools()
        .add(
            new PoolStep(
                POOL,
                BEGIN.plus(Duration.ofHours(30)),
                new PoolBalance(8 * GPU, new Split(2 * GPU, 0, 0), 0, 4 * GPU, 0, 2 * GPU)));
    write(entries);
    Asked asked =
        asked(BEGIN.plus(Duration.ofMinutes(30)), BEGIN.plus(Duration.ofMinutes(50 * 60 + 15)));

    List<Capacity> before = usage.capacities(asked);
    assertThat(new UsageRollup(across).sumUp(1_000)).isGreaterThan(24);

    assertThat(usage.capacities(asked)).isEqualTo(before);
    assertThat(before).hasSize(1);
    Capacity pool = before.getFirst();
    long minutes = 50 * 60 + 15 - 30;
    assertThat(pool.capacity())
        .isEqualTo(pool.parts())
        .isEqualTo(big(8 * GPU * 60_000).multiply(big(minutes)));
    assertThat(pool.entitled())
        .isEqualTo(big(GPU * 60_000).multiply(big(30 * 60 - 30 + 2 * (20 * 60 + 15))));
    assertThat(pool.down()).isEqualTo(big(2 * GPU * 60_000).multiply(big(20 * 60 + 15)));
  }

  @Test
  void aWaitingTimeIsReadWithinFivePercent() {
    for (long millis = 1; millis < 10_000_000_000L; millis = millis * 3 / 2 + 1) {
      Duration waited = Duration.ofMillis(millis);
      int bucket =
          across
              .fetchSingle(
                  "select " + UsageRollup.BUCKET + " from (select ?::bigint) as t(waited_ms)",
                  millis)
              .get(0, int.class);
      assertThat(bucket).as("%s", waited).isEqualTo(WaitingTimes.bucket(waited));
      Duration read = WaitingTimes.quantile(Map.of(bucket, 1L), 0.5).orElseThrow();
      assertThat(read.toMillis()).isCloseTo(millis, within(1 + millis / 20));
    }
  }

  @Test
  void weeksAreMadeAndDeletedOnceSummedUp() {
    PostgresUsageStore store = new PostgresUsageStore(across);
    store.prepareWeeks(BEGIN);
    Entries entries = Entries.empty();
    entries
        .intervals()
        .add(interval(ACME, "a", "u", BEGIN, Duration.ofHours(3), new Split(GPU, 0, 0)));
    write(entries);
    assertThat(across.fetch("select distinct tableoid::regclass::text from usage_interval"))
        .extracting(row -> row.get(0, String.class))
        .containsExactly("usage_interval_20261026");

    store.forget(END.plus(Duration.ofDays(30)), BEGIN, BEGIN);
    assertThat(across.fetchCount(DSL.table("usage_interval"))).as("not summed up yet").isEqualTo(1);

    store.sumUp(1_000);
    store.forget(END.plus(Duration.ofDays(30)), BEGIN, BEGIN);
    assertThat(across.fetchCount(DSL.table("usage_interval"))).isZero();
    assertThat(
            used(
                usage.report(
                    asked(BEGIN.truncatedTo(ChronoUnit.HOURS), END),
                    List.of(Dimension.POLICY),
                    List.of())))
        .containsOnly(Map.entry("a", big(GPU * 3 * 3_600_000)));
  }
}
