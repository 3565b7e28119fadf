package io.headgate.scheduler;

import static io.headgate.scheduler.Fixtures.submit;
import static io.headgate.scheduler.Installation.awaitState;
import static io.headgate.scheduler.Installation.get;
import static io.headgate.scheduler.Installation.submit;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.headgate.kit.db.DataKeyTable;
import io.headgate.kit.db.Database;
import io.headgate.kit.db.DatabaseConfig;
import io.headgate.kit.db.EncryptionKeyCommands;
import io.headgate.kit.file.SecretFile;
import io.headgate.kit.lifecycle.CannotStartException;
import io.headgate.kit.seal.KeyFile;
import io.headgate.kit.seal.Seal;
import io.headgate.kit.seal.SealedPlace;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.kit.time.TimeSource;
import io.headgate.proto.agent.v1.Assign;
import io.headgate.proto.scheduler.v1.Job;
import io.headgate.proto.scheduler.v1.JobServiceGrpc.JobServiceBlockingStub;
import io.headgate.proto.scheduler.v1.JobSpec;
import io.headgate.proto.scheduler.v1.SubmitJobRequest;
import io.headgate.scheduler.store.PostgresSchedulerStore;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/// Specifications lie sealed in the database.
final class SealedSpecTest {
  @RegisterExtension static final PostgresFixture POSTGRES = PostgresFixture.of("scheduler");

  private static final String OLD_JOB =
      """
      insert into job (id, tenant, name, queue, policy, profile, gpu_units, workers, user_id,
        submitter, priority, by_role, labels, traceparent, created_at, submitted_at, state,
        sequence, attempts, simulated, version)
      values (1, 'acme', 'old', 'rnd-1', 'rnd', 'one', 126000, 1, 'alice',
        'tenants/acme/users/alice', 0, false, '{}', '', now(), now(), 'WAITING', 1, 0, false, 1)\
      """;

  @TempDir Path directory;

  private DatabaseConfig database;
  private Path secrets;
  private Installation installation;

  @BeforeEach
  void create() {
    database = POSTGRES.fresh();
    secrets = directory.resolve("secrets");
  }

  @AfterEach
  void stop() {
    if (installation != null) {
      installation.close();
    }
  }

  private JobServiceBlockingStub start() {
    if (installation == null) {
      installation = new Installation(database).withSecrets(secrets);
      Fixtures.seedExample(installation.neighbours);
    }
    installation.start().awaitReady("rnd-1");
    return installation.alice();
  }

  private static SubmitJobRequest withEnvironment(String id, String value) {
    SubmitJobRequest.Builder job = submit("rnd-1", id).toBuilder();
    job.getSpecBuilder().putEnvironment("TOKEN", value).addCommand("--password=" + value);
    return job.build();
  }

  private EncryptionKeyCommands commands() {
    return SchedulerService.encryptionKey(database, secrets);
  }

  @Test
  void aSwappedSpecificationStopsItsOwnJobOnly() {
    JobServiceBlockingStub alice = start();
    submit(alice, withEnvironment("one", "of-one"));
    submit(alice, withEnvironment("two", "of-two"));
    submit(alice, withEnvironment("three", "of-three"));
    submit(alice, withEnvironment("four", "of-four"));
    installation.stop();
    // The second job would show the secret of the first to its own readers.
    PostgresFixture.execute(
        database,
        """
        update job_spec set document = (select document from job_spec join job on id = job_id
          where name = 'one')
        where job_id = (select id from job where name = 'two')\
        """);
    // The fourth one would show its own to another submitter.
    PostgresFixture.execute(
        database, "update job set submitter = 'tenants/acme/users/eve' where name = 'four'");
    alice = start();
    assertThat(get(alice, "two").getSpec().getEnvironmentMap()).isEmpty();
    assertThat(get(alice, "two").getSpec().getCommandList()).isEmpty();

    FakeAgent agent = installation.agent("a-0").connect();
    awaitState(alice, "four", Job.State.STATE_DRAFT);
    Job two = awaitState(alice, "two", Job.State.STATE_DRAFT);
    assertThat(two.toString()).contains("NO_SPECIFICATION").contains("cannot be decrypted");
    assertThat(environment(agent.awaitAssign("one"))).isEqualTo("of-one");
    assertThat(environment(agent.awaitAssign("three"))).isEqualTo("of-three");
    assertThat(agent.assigns()).noneMatch(assign -> assign.toString().contains("jobs/two"));
    awaitState(alice, "three", Job.State.STATE_RUNNING);
  }

  @Test
  void jobsAreDispatchedDuringARotationAndNoneIsLost() throws Exception {
    ForwardClock clock = new ForwardClock();
    installation = new Installation(database).withSecrets(secrets).with(clock);
    Fixtures.seedExample(installation.neighbours);
    JobServiceBlockingStub alice = start();
    installation.agent("a-0").finishing().connect();
    AtomicBoolean rotated = new AtomicBoolean();
    List<String> jobs = new ArrayList<>();
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<?> stream =
          threads.submit(() -> {
            int after = 0;
            for (int i = 0; after < 20; i++) {
              after += rotated.get() ? 1 : 0;
              jobs.add(submit(alice, withEnvironment("job-" + i, "value-" + i)));
            }
          });
      for (int i = 0; i < 3; i++) {
        assertThat(commands().rotate()).contains("is in force");
        // The scheduler looks at its data key again.
        clock.advance(Duration.ofMinutes(1));
      }
      rotated.set(true);
      stream.get();
    }
    for (String job : jobs) {
      awaitState(alice, job, Job.State.STATE_DONE);
    }

    assertThat(dataKeysOfJobs()).as("new rows have new data keys").isGreaterThan(1);

    // The former keys are not needed any more.
    KeyFile file = new KeyFile(secrets);
    assertThat(file.read()).hasSize(4);
    file.write(List.of(file.read().getFirst()));
    installation.stop();
    JobServiceBlockingStub again = start();
    for (int i = 0; i < jobs.size(); i++) {
      assertThat(get(again, jobs.get(i)).getSpec().getEnvironmentMap())
          .containsEntry("TOKEN", "value-" + i);
    }
  }

  @Test
  void aSchedulerWithTheFormerFileLeadsOnAndStartsTheRestWhenItHasTheNewOne() throws Exception {
    ForwardClock clock = new ForwardClock();
    installation = new Installation(database).withSecrets(secrets).with(clock);
    Fixtures.seedExample(installation.neighbours);
    JobServiceBlockingStub alice = start();
    submit(alice, withEnvironment("before", "of-before"));
    Path elsewhere = Files.createDirectories(directory.resolve("elsewhere"));
    Path former = elsewhere.resolve(KeyFile.NAME);
    Files.copy(secrets.resolve(KeyFile.NAME), former);
    Installation other =
        installation
            .beside("scheduler-2")
            .withSecrets(elsewhere)
            .with(clock)
            .with(Installation.ELECTING)
            .start();
    commands().rotate();
    clock.advance(Duration.ofMinutes(1));
    awaitNewDataKey(alice);
    submit(alice, withEnvironment("after", "of-after"));
    installation.stop();
    installation = other;

    other.awaitReady("rnd-1");
    long epoch = other.service().epoch();
    FakeAgent agent = other.agent("a-0").connect();
    assertThat(environment(agent.awaitAssign("before"))).isEqualTo("of-before");
    awaitState(other.alice(), "before", Job.State.STATE_RUNNING);
    assertThat(agent.assigns()).noneMatch(assign -> assign.toString().contains("jobs/after"));

    Files.copy(secrets.resolve(KeyFile.NAME), former, StandardCopyOption.REPLACE_EXISTING);
    clock.advance(Duration.ofSeconds(1));
    assertThat(environment(agent.awaitAssign("after"))).isEqualTo("of-after");
    assertThat(other.service().epoch()).as("it led all the time").isEqualTo(epoch);
  }

  /// Submits until a job's specification has a data key of its own: the scheduler takes it beside
  /// its work.
  private void awaitNewDataKey(JobServiceBlockingStub alice) {
    AtomicInteger jobs = new AtomicInteger();
    await()
        .atMost(Installation.PATIENCE)
        .until(() -> {
          submit(alice, withEnvironment("more-" + jobs.incrementAndGet(), "more"));
          return dataKeysOfJobs() > 1;
        });
  }

  private long dataKeysOfJobs() {
    try (Database owner = Database.open(database.asOwner())) {
      return owner
          .jooq()
          .fetchSingle("select count(distinct substring(document from 2 for 8)) from job_spec")
          .get(0, long.class);
    }
  }

  @Test
  void aSchedulerWithAnotherFileDoesNotStart() throws Exception {
    submit(start(), withEnvironment("one", "of-one"));
    Path elsewhere = directory.resolve("elsewhere");
    Installation other = installation.beside("scheduler-2").withSecrets(elsewhere);
    assertThatThrownBy(other::unstarted)
        .isInstanceOf(CannotStartException.class)
        .hasMessageContaining(elsewhere.resolve(KeyFile.NAME).toString())
        .hasMessageContaining("copy that file from another process of this service");
    assertThat(elsewhere).doesNotExist();
    Files.createDirectories(elsewhere);
    Files.copy(secrets.resolve(KeyFile.NAME), elsewhere.resolve(KeyFile.NAME));
    other.unstarted().close();
  }

  @Test
  void jobsWhoseKeyIsLostSaySoAndNewOnesRun() throws Exception {
    submit(start(), withEnvironment("lost", "of-lost"));
    installation.stop();
    Files.delete(secrets.resolve(KeyFile.NAME));
    assertThatThrownBy(installation::unstarted).hasMessageContaining("--replace-encryption-key");
    assertThatThrownBy(() -> commands().replace()).hasMessageContaining("is absent");
    new SecretFile(secrets.resolve(KeyFile.NAME)).write("");
    assertThat(commands().replace()).contains("gave up");

    JobServiceBlockingStub alice = start();
    FakeAgent agent = installation.agent("a-0").connect();
    awaitState(alice, "lost", Job.State.STATE_DRAFT);
    submit(alice, withEnvironment("new", "of-new"));
    assertThat(environment(agent.awaitAssign("new"))).isEqualTo("of-new");
  }

  @Test
  void theFirstStartSealsWhatAnEarlierVersionStored() {
    database = POSTGRES.before("15.1");
    JobSpec spec = withEnvironment("old", "of-old").getSpec();
    PostgresFixture.execute(database, OLD_JOB);
    PostgresFixture.execute(database, "update leadership set version = 1");
    PostgresFixture.execute(
        database, "insert into job_spec (job_id, document) values (1, ?)", spec.toByteArray());
    PostgresFixture.execute(
        database, "insert into secret (name, value) values ('page-tokens', ?)", new byte[32]);
    JobServiceBlockingStub alice = start();
    assertThat(get(alice, "old").getSpec().getEnvironmentMap()).containsEntry("TOKEN", "of-old");
    try (Database owner = Database.open(database.asOwner())) {
      for (String column : List.of("job_spec.document", "catalog_entry.document", "secret.value")) {
        String table = column.substring(0, column.indexOf('.'));
        assertThat(owner.jooq().fetch("select * from " + table).stream())
            .isNotEmpty()
            .as(table)
            .noneMatch(row -> row.get("open_" + column.substring(table.length() + 1)) != null);
      }
      byte[] stored =
          owner.jooq().fetchSingle("select document from job_spec").get(0, byte[].class);
      assertThat(new String(stored, StandardCharsets.ISO_8859_1)).doesNotContain("of-old");
    }
  }

  @Test
  void theNextLeaderReadsTheCatalogThatTheFirstStartSealed() {
    start();
    installation.stop();
    try (Database owner = Database.open(database.asOwner())) {
      Seal seal = DataKeyTable.seal(owner, new KeyFile(secrets), TimeSource.system());
      Map<String, List<String>> before = catalogs(owner, seal);
      assertThat(before).isNotEmpty();
      assertThat(before.values()).noneMatch(List::isEmpty);
      for (var row : owner.jooq().fetch("select source, key, document from catalog_entry")) {
        String source = row.get(0, String.class);
        String key = row.get(1, String.class);
        owner
            .jooq()
            .execute(
                "update catalog_entry set document = null, open_document = ?"
                    + " where source = ? and key = ?",
                seal.open(
                    row.get(2, byte[].class),
                    SealedPlace.of("catalog_entry", "document", source, key)),
                source,
                key);
      }
      installation.unstarted().close();
      assertThat(owner.jooq().fetch("select 1 from catalog_entry where document is null"))
          .isEmpty();
      Seal again = DataKeyTable.seal(owner, new KeyFile(secrets), TimeSource.system());
      assertThat(catalogs(owner, again)).isEqualTo(before);
    }
    start();
  }

  /// The keys and documents of each catalog.
  private static Map<String, List<String>> catalogs(Database owner, Seal seal) {
    Map<String, List<String>> catalogs = new HashMap<>();
    PostgresSchedulerStore.of(owner, owner.acrossTenants(1), seal)
        .load()
        .catalogs()
        .forEach((source, catalog) ->
            catalogs.put(
                source,
                catalog.entries().stream()
                    .map(entry -> entry.key() + " " + Arrays.toString(entry.document().bytes()))
                    .toList()));
    return catalogs;
  }

  /// The machine's clocks, of which the test moves the monotonic one.
  private static final class ForwardClock implements TimeSource {
    private final AtomicLong ahead = new AtomicLong();

    void advance(Duration by) {
      ahead.addAndGet(by.toNanos());
    }

    @Override
    public Instant instant() {
      return TimeSource.system().instant();
    }

    @Override
    public long monotonicNanos() {
      return TimeSource.system().monotonicNanos() + ahead.get();
    }
  }

  private static String environment(Assign assign) {
    return assign.getEnvironmentOrThrow("TOKEN");
  }
}
