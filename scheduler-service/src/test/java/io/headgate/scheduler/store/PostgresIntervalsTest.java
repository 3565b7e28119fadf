package io.headgate.scheduler.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.kit.db.Database;
import io.headgate.kit.db.DatabaseConfig;
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
import io.headgate.scheduler.core.ledger.DownStep;
import io.headgate.scheduler.core.ledger.Entries;
import io.headgate.scheduler.core.ledger.Holding;
import io.headgate.scheduler.core.ledger.Split;
import io.headgate.scheduler.core.ledger.Terms;
import io.headgate.scheduler.core.ledger.UsageInterval;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.runtime.record.IntervalReader.Asked;
import io.headgate.scheduler.runtime.record.IntervalReader.Filter;
import io.headgate.scheduler.runtime.record.IntervalReader.Holder;
import io.headgate.scheduler.runtime.record.IntervalReader.Lasting;
import io.headgate.scheduler.runtime.record.IntervalReader.Open;
import io.headgate.scheduler.runtime.record.IntervalReader.Owned;
import io.headgate.scheduler.runtime.record.IntervalReader.Page;
import io.headgate.scheduler.runtime.record.IntervalReader.Position;
import io.headgate.scheduler.runtime.record.IntervalReader.SliceInterval;
import io.headgate.scheduler.runtime.record.UsageReader;
import io.headgate.type.GpuQuantity;
import io.headgate.type.Viewer;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.jooq.DSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

final class PostgresIntervalsTest {
  @RegisterExtension static final PostgresFixture POSTGRES = PostgresFixture.of("scheduler");

  static final TenantId ACME = new TenantId("acme");
  static final PoolId OWN = new PoolId(ACME, "onprem");
  private static final PoolId SHARED = new PoolId(TenantId.PLATFORM, "h100");
  static final Instant BEGIN = Instant.parse("2026-11-02T21:17:04.321Z");
  private static final Instant END = BEGIN.plus(Duration.ofDays(4));
  static final long GPU = GpuQuantity.UNITS_PER_GPU;
  private static final Filter FILTER_OF_NODE =
      new Filter(List.of("onprem"), List.of("m"), List.of(), List.of(), true);
  private static final Terms TERMS = new Terms(List.of(), Optional.of("ml"), Optional.empty());
  private static final Viewer ADA =
      Viewer.member("tenants/acme/users/ada", Set.of("a"), Set.of(), false);

  private Database database;
  private DSLContext across;
  private PostgresIntervals intervals;

  @BeforeEach
  void open() {
    DatabaseConfig config = POSTGRES.fresh();
    database = Database.open(config);
    across = database.acrossTenants(1);
    intervals = new PostgresIntervals(database);
  }

  @AfterEach
  void close() {
    database.close();
  }

  private void write(List<UsageInterval> rows) {
    Entries entries = Entries.empty();
    entries.intervals().addAll(rows);
    Script script = new Script();
    UsageRows.add(script, entries);
    across.connection(script::run);
  }

  private void job(long id, String name, String submitter, String policy) {
    across.execute(
        """
        insert into job (id, tenant, name, queue, policy, profile, gpu_units, workers, user_id,
          submitter, priority, by_role, labels, traceparent, created_at, submitted_at, state,
          sequence, attempts, simulated, version)
        values (?, 'acme', ?, 'q', ?, 'one', 1, 1, 'u', ?, 0, false, '{}', '', now(), now(), 'DONE',
          1, 1, false, 1)\
        """,
        id,
        name,
        policy,
        "tenants/acme/" + submitter);
  }

  /// One slice of a whole GPU for each node, on device 0.
  static UsageInterval interval(
      long job, String policy, PoolId pool, List<String> nodes, Instant from, Duration length) {
    return interval(ACME, job, policy, pool, nodes, from, length, nodes.size() * GPU);
  }

  private static UsageInterval interval(
      TenantId tenant,
      long job,
      String policy,
      PoolId pool,
      List<String> nodes,
      Instant from,
      Duration length,
      long entitled) {
    return new UsageInterval(
        new Holding(
            new JobId(job),
            1,
            new PolicyId(tenant, policy),
            new QueueId(tenant, "q"),
            new ProfileId(tenant, "one"),
            new UserId("u"),
            new Assignment(
                pool,
                nodes.stream()
                    .map(node ->
                        new WorkerPlace(
                            new NodeId(pool.tenant(), node),
                            List.of(new Slice(0, "GPU-" + node, GpuQuantity.ONE, 0)),
                            0,
                            0))
                    .toList())),
        TERMS,
        from,
        from.plus(length),
        new Split(entitled, nodes.size() * GPU - entitled, 0),
        0,
        Optional.empty(),
        Optional.of(UsageInterval.End.OWN));
  }

  private static Asked asked(Instant from, Instant until) {
    return new Asked(ACME, Viewer.OF_ALL, from, until, END, Filter.ALL);
  }

  private static Asked asked(Viewer viewer, Filter filter) {
    return new Asked(ACME, viewer, BEGIN, END, END, filter);
  }

  private List<SliceInterval> all(Asked asked, List<Lasting> lasting, int size) {
    return all(asked, new Open(lasting, List.of(), Optional.empty()), size);
  }

  private List<SliceInterval> all(Asked asked, Open open, int size) {
    List<SliceInterval> all = new ArrayList<>();
    Page page = intervals.page(asked, open, Optional.empty(), size);
    all.addAll(page.intervals());
    while (page.next().isPresent()) {
      page = intervals.page(asked, open, page.next(), size);
      assertThat(page.intervals()).hasSizeLessThanOrEqualTo(size);
      all.addAll(page.intervals());
    }
    return all;
  }

  private List<SliceInterval> first(
      Asked asked, List<Lasting> lasting, Optional<Position> after, int size) {
    return intervals
        .page(asked, new Open(lasting, List.of(), Optional.empty()), after, size)
        .intervals();
  }

  private static Position position(UsageInterval interval, int slice) {
    return new Position(interval.from(), interval.holding().job().value(), 1, slice);
  }

  @Test
  void pagesHaveEachSliceOnceInOrder() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    List<UsageInterval> rows = new ArrayList<>();
    for (int job = 1; job <= 300; job++) {
      Instant from = BEGIN.plusMillis(random.nextLong(Duration.ofDays(3).toMillis()));
      rows.add(
          interval(
              job,
              "a",
              OWN,
              List.of("n1", "n2", "n3").subList(0, 1 + random.nextInt(3)),
              from,
              Duration.ofMillis(1 + random.nextLong(Duration.ofHours(6).toMillis()))));
    }
    write(rows);
    Instant from = BEGIN.plus(Duration.ofHours(20));
    Instant until = BEGIN.plus(Duration.ofHours(50));
    List<Position> expected = new ArrayList<>();
    for (UsageInterval row : rows) {
      if (row.from().isBefore(until) && row.until().isAfter(from)) {
        for (int slice = 1; slice <= row.holding().place().workers().size(); slice++) {
          expected.add(position(row, slice));
        }
      }
    }

    for (int size : List.of(1, 7, 1000)) {
      assertThat(all(asked(from, until), List.of(), size))
          .as("seed %d, pages of %d", seed, size)
          .extracting(SliceInterval::position)
          .containsExactlyElementsOf(expected.stream().sorted().toList());
    }
  }

  @Test
  void anIntervalThatOnlyTouchesAnEdgeIsOutside() {
    Duration hour = Duration.ofHours(1);
    UsageInterval before = interval(1, "a", OWN, List.of("n"), BEGIN, hour);
    UsageInterval first = interval(2, "a", OWN, List.of("n"), BEGIN.plusMillis(1), hour);
    UsageInterval last =
        interval(3, "a", OWN, List.of("n"), BEGIN.plus(hour.multipliedBy(2)), hour);
    UsageInterval after =
        interval(4, "a", OWN, List.of("n"), BEGIN.plus(hour.multipliedBy(2)).plusMillis(1), hour);
    write(List.of(before, first, last, after));

    List<SliceInterval> found =
        all(asked(BEGIN.plus(hour), BEGIN.plus(hour.multipliedBy(2)).plusMillis(1)), List.of(), 10);

    assertThat(found).extracting(each -> each.position().job()).containsExactly(2L, 3L);
    assertThat(found.getFirst().until())
        .as("intervals are told whole")
        .hasValue(BEGIN.plusMillis(1).plus(hour));
  }

  @Test
  void anIntervalThatEndsBetweenTwoPagesIsToldOnce() {
    Instant now = BEGIN.plus(Duration.ofHours(2));
    List<UsageInterval> open = new ArrayList<>();
    for (int job = 1; job <= 4; job++) {
      open.add(
          interval(
              job,
              "a",
              OWN,
              List.of("n"),
              BEGIN.plusSeconds(job),
              Duration.between(BEGIN.plusSeconds(job), now)));
    }
    List<Lasting> lasting =
        open.stream().map(each -> new Lasting(each, Optional.empty(), Optional.empty())).toList();
    Asked first = new Asked(ACME, Viewer.OF_ALL, BEGIN, now, now, Filter.ALL);

    List<SliceInterval> page = first(first, lasting, Optional.empty(), 2);

    assertThat(page).extracting(each -> each.position().job()).containsExactly(1L, 2L);
    assertThat(page).allMatch(each -> each.until().isEmpty());
    // All but the last have ended; one of them in the very millisecond of the next question.
    Instant later = now.plusSeconds(60);
    write(
        List.of(
            interval(1, "a", OWN, List.of("n"), BEGIN.plusSeconds(1), Duration.ofHours(2)),
            interval(2, "a", OWN, List.of("n"), BEGIN.plusSeconds(2), Duration.ofHours(2)),
            interval(
                3,
                "a",
                OWN,
                List.of("n"),
                BEGIN.plusSeconds(3),
                Duration.between(BEGIN.plusSeconds(3), later))));
    Asked second = new Asked(ACME, Viewer.OF_ALL, BEGIN, now, later, Filter.ALL);

    List<SliceInterval> rest =
        first(
            second,
            List.of(
                new Lasting(
                    interval(
                        3,
                        "a",
                        OWN,
                        List.of("n"),
                        BEGIN.plusSeconds(3),
                        Duration.between(BEGIN.plusSeconds(3), later)),
                    Optional.empty(),
                    Optional.empty()),
                new Lasting(
                    interval(
                        4,
                        "a",
                        OWN,
                        List.of("n"),
                        BEGIN.plusSeconds(4),
                        Duration.between(BEGIN.plusSeconds(4), later)),
                    Optional.of(new Owned("train-4", "tenants/acme/users/ada", "a")),
                    Optional.of(later.minusSeconds(5)))),
            Optional.of(page.getLast().position()),
            10);

    assertThat(rest).extracting(each -> each.position().job()).containsExactly(3L, 4L);
    assertThat(rest.getFirst().until()).hasValue(later);
    assertThat(rest.getLast().until()).isEmpty();
    assertThat(rest.getLast().holder().flatMap(Holder::stopping)).hasValue(later.minusSeconds(5));
  }

  @Test
  void whatWasWrittenAfterTheLeaderWasAskedIsTakenFromItsAnswer() {
    Instant now = BEGIN.plus(Duration.ofHours(2));
    write(List.of(interval(1, "a", OWN, List.of("n"), BEGIN, Duration.ofHours(3))));

    List<SliceInterval> found =
        first(
            new Asked(ACME, Viewer.OF_ALL, BEGIN, now, now, Filter.ALL),
            List.of(
                new Lasting(
                    interval(1, "a", OWN, List.of("n"), BEGIN, Duration.ofHours(2)),
                    Optional.empty(),
                    Optional.empty())),
            Optional.empty(),
            10);

    assertThat(found).hasSize(1);
    assertThat(found.getFirst().until()).as("it lasted then").isEmpty();
  }

  @Test
  void thePartsOfAllSlicesAddUpToTheReport() {
    Duration hour = Duration.ofHours(1);
    write(
        List.of(
            interval(ACME, 1, "a", OWN, List.of("n1", "n2", "n3"), BEGIN, hour, GPU * 3 / 2),
            interval(ACME, 2, "a", OWN, List.of("n1"), BEGIN.plus(hour), hour, 0)));

    List<SliceInterval> found = all(asked(BEGIN, END), List.of(), 10);

    assertThat(found)
        .extracting(each -> each.holder().map(Holder::entitled).orElseThrow())
        .containsExactly(GPU, GPU / 2, 0L, 0L);
    assertThat(found)
        .extracting(each -> each.holder().map(Holder::overReservation).orElseThrow())
        .containsExactly(0L, GPU / 2, GPU, GPU);
    var report =
        new PostgresUsage(database)
            .report(
                new UsageReader.Asked(Optional.of(ACME), Viewer.OF_ALL, BEGIN, END, END),
                List.of(),
                List.of());
    long entitled =
        found.stream()
            .mapToLong(each ->
                each.holder().orElseThrow().entitled()
                    * Duration.between(each.position().since(), each.until().orElseThrow())
                        .toMillis())
            .sum();
    assertThat(report.total().sums().entitled()).isEqualTo(BigInteger.valueOf(entitled));
  }

  @Test
  void filtersNarrowByPoolNodePolicyAndJob() {
    Duration hour = Duration.ofHours(1);
    PoolId other = new PoolId(ACME, "other");
    write(
        List.of(
            interval(1, "a", OWN, List.of("n1", "n2"), BEGIN, hour),
            interval(2, "b", OWN, List.of("n2"), BEGIN.plusSeconds(1), hour),
            interval(3, "b", other, List.of("m"), BEGIN.plusSeconds(2), hour)));

    assertThat(found(new Filter(List.of("other"), List.of(), List.of(), List.of(), true)))
        .containsExactly("3 m");
    assertThat(found(new Filter(List.of(), List.of("n2"), List.of(), List.of(), true)))
        .containsExactly("1 n2", "2 n2");
    assertThat(found(new Filter(List.of(), List.of(), List.of("b"), List.of(), true)))
        .containsExactly("2 n2", "3 m");
    assertThat(found(new Filter(List.of(), List.of("n2"), List.of("a"), List.of(), true)))
        .containsExactly("1 n2");
    assertThat(
            found(
                new Filter(
                    List.of(), List.of(), List.of(), List.of(new JobId(1), new JobId(3)), true)))
        .containsExactly("1 n1", "1 n2", "3 m");
  }

  private List<String> found(Filter filter) {
    return all(asked(Viewer.OF_ALL, filter), List.of(), 10).stream()
        .map(each -> each.position().job() + " " + each.node())
        .toList();
  }

  @Test
  void membersSeeOnlyWhatIsTheirs() {
    Duration hour = Duration.ofHours(1);
    job(1, "of-team", "users/eve", "a");
    job(2, "own", "users/ada", "b");
    job(3, "of-others", "users/eve", "b");
    job(4, "of-others-shared", "users/eve", "b");
    job(5, "own-shared", "users/ada", "b");
    job(6, "of-namesake", "serviceAccounts/ada", "b");
    // Jobs 7 and 8 are not stored any more.
    List<UsageInterval> rows = new ArrayList<>();
    for (int job = 1; job <= 8; job++) {
      rows.add(
          interval(
              job,
              job == 1 || job == 7 ? "a" : "b",
              job == 4 || job == 5 ? SHARED : OWN,
              List.of("n"),
              BEGIN.plusSeconds(job),
              hour));
    }
    rows.add(
        interval(
            new TenantId("globex"), 9, "a", SHARED, List.of("n"), BEGIN.plusSeconds(9), hour, GPU));
    write(rows);

    assertThat(seen(asked(ADA, Filter.ALL)))
        .containsExactly(
            "of-team on n by a",
            "own on n by b",
            "in use on n",
            "own-shared on platform/n by b",
            "in use on n",
            " on n by a",
            "in use on n");
    assertThat(seen(asked(ADA, new Filter(List.of(), List.of(), List.of("b"), List.of(), true))))
        .as("a filter by policy tells nothing of others' jobs")
        .containsExactly("own on n by b", "own-shared on platform/n by b");
    assertThat(seen(asked(Viewer.OF_NOTHING, Filter.ALL))).hasSize(6).containsOnly("in use on n");
    assertThat(seen(asked(Viewer.OF_ALL, Filter.ALL)))
        .hasSize(8)
        .contains("of-others-shared on platform/n by b")
        .noneMatch(each -> each.startsWith("in use"));
  }

  @Test
  void membersSeeOnlyWhatIsTheirsOfWhatLasts() {
    Instant now = BEGIN.plus(Duration.ofHours(1));
    List<Lasting> lasting =
        List.of(
            lasting(1, "a", OWN, "users/eve"),
            lasting(2, "b", OWN, "users/ada"),
            lasting(3, "b", OWN, "users/eve"),
            lasting(4, "b", SHARED, "users/eve"),
            lasting(5, "b", SHARED, "users/ada"));
    Asked asked = new Asked(ACME, ADA, BEGIN, now, now, Filter.ALL);

    assertThat(first(asked, lasting, Optional.empty(), 10))
        .extracting(PostgresIntervalsTest::text)
        .containsExactly("j1 on n by a", "j2 on n by b", "in use on n", "j5 on platform/n by b");
    assertThat(
            first(
                new Asked(
                    ACME,
                    ADA,
                    BEGIN,
                    now,
                    now,
                    new Filter(List.of("onprem"), List.of(), List.of("b"), List.of(), true)),
                lasting,
                Optional.empty(),
                10))
        .extracting(PostgresIntervalsTest::text)
        .containsExactly("j2 on n by b");
  }

  static Lasting lasting(long job, String policy, PoolId pool, String submitter) {
    return new Lasting(
        interval(
            job,
            policy,
            pool,
            List.of("n"),
            BEGIN.plusSeconds(job),
            Duration.ofHours(1).minusSeconds(job)),
        Optional.of(new Owned("j" + job, "tenants/acme/" + submitter, policy)),
        Optional.empty());
  }

  static DownStep down(String node, Instant at, long... units) {
    List<Slice> slices = new ArrayList<>();
    for (long each : units) {
      slices.add(new Slice(2 * slices.size(), "GPU-" + slices.size(), new GpuQuantity(each), 0));
    }
    return new DownStep(new NodeId(ACME, node), at, Optional.of(new DownStep.Down(OWN, slices)));
  }

  @Test
  void whatWasDownIsAmongWhatWasUsed() {
    Instant at = BEGIN.plusSeconds(1);
    Instant now = BEGIN.plus(Duration.ofHours(7));
    Entries entries = Entries.empty();
    entries.intervals().add(interval(1, "a", OWN, List.of("n"), at, Duration.ofHours(1)));
    entries.downIntervals().addAll(down("m", at, GPU, GPU / 2).until(at.plusSeconds(60)));
    entries
        .downIntervals()
        .addAll(down("Z", at, GPU).until(at.plus(Duration.ofHours(7)).minusSeconds(1_800)));
    entries
        .downIntervals()
        .addAll(down("n", BEGIN.minusSeconds(3_600), GPU).until(BEGIN.minusSeconds(1)));
    Script script = new Script();
    UsageRows.add(script, entries);
    across.connection(script::run);
    List<DownStep> lasting = List.of(down("a", at, GPU), down("z", at.minusSeconds(9), GPU));
    Open open = new Open(List.of(), lasting, Optional.empty());
    Asked asked = new Asked(ACME, ADA, BEGIN, now, now, Filter.ALL);

    for (int size : List.of(1, 2, 100)) {
      assertThat(all(asked, open, size))
          .as("pages of %d", size)
          .extracting(PostgresIntervalsTest::text)
          .containsExactly(
              "z 0 down at -8 until 21592",
              "Z 0 down at 1 until 21601",
              "a 0 down at 1 until 21601",
              "m 0 down at 1 until 61",
              "m 2 down at 1 until 61",
              " on n by a",
              "z 0 down at 21592 until -",
              "Z 0 down at 21601 until 23401",
              "a 0 down at 21601 until -");
    }
    assertThat(all(new Asked(ACME, ADA, BEGIN, now, now, FILTER_OF_NODE), open, 10))
        .extracting(SliceInterval::units)
        .containsExactly(GPU, GPU / 2);
    Filter ofPolicy = new Filter(List.of(), List.of(), List.of("b"), List.of(), true);
    assertThat(all(new Asked(ACME, Viewer.OF_ALL, BEGIN, now, now, ofPolicy), open, 10)).isEmpty();
    Filter ofUse = new Filter(List.of(), List.of(), List.of(), List.of(), false);
    assertThat(all(new Asked(ACME, ADA, BEGIN, now, now, ofUse), open, 10))
        .as("what is down is not asked for")
        .extracting(PostgresIntervalsTest::text)
        .containsExactly(" on n by a");
    assertThat(all(new Asked(TenantId.PLATFORM, ADA, BEGIN, now, now, Filter.ALL), open, 10))
        .as("of another tenant")
        .isEmpty();
  }

  private List<String> seen(Asked asked) {
    return all(asked, List.of(), 3).stream().map(PostgresIntervalsTest::text).toList();
  }

  private static String text(SliceInterval interval) {
    if (interval.isDown()) {
      return "%s %d down at %d until %s"
          .formatted(
              interval.node(),
              interval.device(),
              Duration.between(BEGIN, interval.position().since()).toSeconds(),
              interval
                  .until()
                  .map(end -> String.valueOf(Duration.between(BEGIN, end).toSeconds()))
                  .orElse("-"));
    }
    return interval
        .holder()
        .map(holder -> "%s on %s by %s".formatted(holder.job(), interval.node(), holder.policy()))
        .orElse("in use on " + interval.node());
  }
}
