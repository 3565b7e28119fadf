package io.headgate.scheduler.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.kit.db.Database;
import io.headgate.kit.db.DatabaseConfig;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.kit.testing.TestSecrets;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.runtime.record.JobReader.Filter;
import io.headgate.scheduler.runtime.record.JobRecord;
import io.headgate.type.Viewer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// Lists and their counts say what a look at every job would.
final class JobListsTest {
  @RegisterExtension static final PostgresFixture POSTGRES = PostgresFixture.of("scheduler");

  private static final TenantId ACME = new TenantId("acme");
  private static final Instant BEGIN = Instant.parse("2026-11-01T00:00:00Z");
  private static final int JOBS = 3000;
  private static final int PAGE = 50;
  private static final long SEED = 7;

  /// One in three jobs is over; users and queues are of very different sizes; every tenth has a
  /// label; every seventh is of a service account with the id of a user.
  private static final String FILL =
      """
      insert into job (id, tenant, name, queue, policy, profile, gpu_units, workers, user_id,
        submitter, priority, by_role, labels, traceparent, created_at, submitted_at, state,
        sequence, attempts, finished_at, simulated, version)
      select i, case when i %% 20 = 0 then 'other' else 'acme' end, 'j-' || i,
        'q-' || floor(8 * power(random(), 3)), 'p-' || i %% 2, 'one', 1, 1,
        u, case when i %% 7 = 0 then 'tenants/acme/serviceAccounts/' else 'tenants/acme/users/' end || u, 0, false,
        case when i %% 10 = 0 then array['a=' || i %% 3] else '{}' end, '',
        '2026-11-01T00:00:00Z'::timestamptz + i * interval '1 minute', now(),
        case i %% 6 when 0 then 'DONE' when 1 then 'FAILED' when 2 then 'RUNNING' else 'WAITING' end,
        i, 0, case when i %% 6 < 2
          then '2026-11-01T00:00:00Z'::timestamptz + (i + 30) * interval '1 minute' end, false, i
      from generate_series(1, %d) i, lateral (select 'u-' || floor(6 * power(random(), 3) + 0 * i) u) one\
      """
          .formatted(JOBS);

  private Database database;
  private Database service;
  private PostgresJobReader reader;

  @BeforeEach
  void fill() {
    DatabaseConfig config = POSTGRES.fresh();
    service = Database.open(config);
    database = Database.open(config.asOwner());
    reader = new PostgresJobReader(service, service.acrossTenants(2), TestSecrets.seal(service));
    database.jooq().execute("select setseed(0.5)");
    database.jooq().execute(FILL);
  }

  @AfterEach
  void close() {
    service.close();
    database.close();
  }

  private List<JobRecord> all() {
    return reader.page(ACME, Filter.ALL, OptionalLong.empty(), 2 * JOBS);
  }

  private List<JobRecord> paged(Filter filter) {
    List<JobRecord> found = new ArrayList<>();
    List<JobRecord> page = reader.page(ACME, filter, OptionalLong.empty(), PAGE);
    while (!page.isEmpty()) {
      found.addAll(page);
      page = reader.page(ACME, filter, OptionalLong.of(page.getLast().id().value()), PAGE);
    }
    return found;
  }

  private void sameAsLookingAtAll(Filter filter) {
    List<JobRecord> expected = all().stream().filter(job -> matches(filter, job)).toList();
    assertThat(paged(filter)).as("%s", filter).isEqualTo(expected);
    Map<JobState, Long> counts = new EnumMap<>(JobState.class);
    expected.forEach(job -> counts.merge(job.state(), 1L, Long::sum));
    assertThat(reader.counts(ACME, filter)).as("%s", filter).isEqualTo(counts);
  }

  private static boolean matches(Filter filter, JobRecord job) {
    return among(filter.queues(), job.job().spec().queue().name())
        && among(filter.policies(), job.metadata().policy())
        && among(filter.users(), job.job().spec().user().name())
        && among(filter.states(), job.state())
        && filter.viewer().sees(job.metadata().submitter(), job.metadata().policy())
        && filter.createdAfter().filter(job.metadata().createdAt()::isBefore).isEmpty()
        && job.metadata().labels().containsAll(filter.labels())
        && filter
            .activeOrFinishedAfter()
            .filter(after -> job.course().finishedAt().filter(after::isAfter).isPresent())
            .isEmpty();
  }

  private static <T> boolean among(List<T> values, T value) {
    return values.isEmpty() || values.contains(value);
  }

  private static Filter draw(Random random) {
    Function<String, List<String>> some =
        prefix ->
            random.nextInt(2) == 0
                ? List.of()
                : random
                    .ints(1 + random.nextInt(2), 0, 7)
                    .distinct()
                    .mapToObj(i -> prefix + i)
                    .toList();
    Optional<Instant> time = Optional.of(BEGIN.plusSeconds(60L * random.nextInt(JOBS)));
    return new Filter(
        some.apply("q-"),
        some.apply("p-"),
        some.apply("u-"),
        random.nextInt(2) == 0
            ? List.of()
            : List.of(JobState.values()[random.nextInt(JobState.values().length)]),
        random.nextInt(4) == 0 ? time : Optional.empty(),
        random.nextInt(4) == 0 ? List.of("a=" + random.nextInt(3)) : List.of(),
        random.nextInt(3) == 0 ? time : Optional.empty(),
        Optional.empty(),
        random.nextInt(2) == 0
            ? Viewer.OF_ALL
            : Viewer.member(
                "tenants/acme/users/u-" + random.nextInt(7),
                Set.copyOf(some.apply("p-")),
                Set.of(),
                false));
  }

  @Test
  void filtersAndCountsAsALookAtEveryJobWould() {
    sameAsLookingAtAll(Filter.ALL);
    assertThat(all()).hasSize(JOBS - JOBS / 20);
    Random random = new Random(SEED);
    for (int i = 0; i < 60; i++) {
      sameAsLookingAtAll(draw(random));
    }
  }

  @Test
  void countsWhatChangesAndWhatIsForgotten() {
    database.jooq().execute("update job set state = 'DONE', finished_at = now() where id % 9 = 2");
    database.jooq().execute("update job set policy = 'p-new' where id % 7 = 3");
    database.jooq().execute("update job set attempts = 1 where id % 5 = 3");
    database.jooq().execute("delete from job where state = 'DONE' and id < 1000");
    sameAsLookingAtAll(Filter.ALL);
    Random random = new Random(SEED + 1);
    for (int i = 0; i < 20; i++) {
      sameAsLookingAtAll(draw(random));
    }
  }
}
