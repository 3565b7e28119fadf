package io.headgate.scheduler;

import static io.headgate.scheduler.Fixtures.ACME;
import static io.headgate.scheduler.Fixtures.submit;
import static io.headgate.scheduler.Installation.submit;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.kit.db.Database;
import io.headgate.kit.db.DatabaseConfig;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.proto.scheduler.v1.JobServiceGrpc.JobServiceBlockingStub;
import io.headgate.proto.scheduler.v1.ListEventsRequest;
import io.headgate.proto.scheduler.v1.SubmitJobRequest;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// A submission that waits for more than the leader keeps no other call waiting.
final class SlowSubmissionTest {
  @RegisterExtension static final PostgresFixture POSTGRES = PostgresFixture.of("scheduler");

  /// Much less than a submission may take, and enough for a busy machine.
  private static final Duration SOON = Duration.ofSeconds(10);

  private final ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor();
  private Installation installation;
  private Database database;
  private JobServiceBlockingStub alice;

  @BeforeEach
  void start() {
    DatabaseConfig config = POSTGRES.fresh();
    database = Database.open(config.asOwner());
    installation = new Installation(config);
    Fixtures.seedExample(installation.neighbours);
    installation.start().awaitReady("rnd-3");
    alice = installation.alice();
  }

  @AfterEach
  void stop() {
    database.close();
    installation.close();
    callers.close();
  }

  private static SubmitJobRequest identified(String name) {
    return submit("rnd-3", name).toBuilder().setRequestId(UUID.randomUUID().toString()).build();
  }

  private CompletableFuture<String> later(JobServiceBlockingStub jobs, SubmitJobRequest request) {
    return CompletableFuture.supplyAsync(() -> submit(jobs, request), callers);
  }

  /// Reads only the database.
  private int events() {
    return alice
        .listEvents(ListEventsRequest.newBuilder().setParent(ACME).build())
        .getEventsCount();
  }

  private boolean waitsForALock() {
    return database.jooq().fetchExists(database.jooq().selectFrom("pg_locks where not granted"));
  }

  /// Both calls share a connection, and so an event loop.
  @Test
  void takesAJobWhileALookUpWaitsForTheDatabase() {
    SubmitJobRequest stored = identified("r-0");
    submit(alice, stored);
    CompletableFuture<String> repeated =
        database
            .jooq()
            .transactionResult(transaction -> {
              transaction.dsl().execute("lock table submission_request in access exclusive mode");
              CompletableFuture<String> waiting = later(alice, stored);
              FakeAgent.awaitThat(this::waitsForALock);
              assertThat(later(alice, submit("rnd-3", "r-1"))).succeedsWithin(SOON);
              assertThat(waiting).isNotDone();
              return waiting;
            });
    assertThat(repeated).succeedsWithin(Installation.PATIENCE).isEqualTo("r-0");
  }

  /// More repetitions than the server has handlers, which reads need.
  @Test
  void readsWhileManyRepetitionsWaitForTheFirstRequest() {
    SubmitJobRequest request = identified("r-1");
    List<JobServiceBlockingStub> connections =
        Stream.generate(installation::alice).limit(3).toList();
    List<CompletableFuture<String>> answers =
        database
            .jooq()
            .transactionResult(transaction -> {
              // Nothing becomes durable meanwhile: the leader's commits wait for the row.
              transaction.dsl().execute("select 1 from leadership for update");
              List<CompletableFuture<String>> waiting =
                  connections.stream()
                      .flatMap(jobs -> IntStream.range(0, 90).mapToObj(_ -> later(jobs, request)))
                      .toList();
              FakeAgent.awaitThat(() -> installation.calls() >= waiting.size());
              assertThat(CompletableFuture.supplyAsync(this::events, callers)).succeedsWithin(SOON);
              assertThat(waiting).noneMatch(CompletableFuture::isDone);
              return waiting;
            });
    assertThat(answers)
        .allSatisfy(
            answer -> assertThat(answer).succeedsWithin(Installation.PATIENCE).isEqualTo("r-1"));
  }
}
