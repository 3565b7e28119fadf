package io.headgate.scheduler;

import static io.headgate.scheduler.Fixtures.ACME;
import static io.headgate.scheduler.Fixtures.submit;
import static io.headgate.scheduler.Installation.awaitState;
import static io.headgate.scheduler.Installation.submit;
import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status.Code;
import io.headgate.kit.db.Database;
import io.headgate.kit.db.DatabaseConfig;
import io.headgate.kit.testing.Needed;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.proto.agent.v1.ConnectResponse;
import io.headgate.proto.scheduler.v1.Job;
import io.headgate.proto.scheduler.v1.JobServiceGrpc.JobServiceBlockingStub;
import io.headgate.proto.scheduler.v1.ListJobsRequest;
import io.headgate.proto.scheduler.v1.RequeueJobRequest;
import io.headgate.proto.scheduler.v1.SubmitJobRequest;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jooq.Record;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// The row of leadership admits one writer, and tells whether a write with a lost answer happened.
final class FencingTest {
  @RegisterExtension static final PostgresFixture POSTGRES = PostgresFixture.of("scheduler");

  private Installation installation;

  @AfterEach
  void stop() {
    if (installation != null) { // null: its test was skipped
      installation.close();
    }
  }

  private static long jobs(JobServiceBlockingStub jobs) {
    return jobs.listJobs(ListJobsRequest.newBuilder().setParent(ACME).build()).getJobsCount();
  }

  @Test
  void writesAndSendsNothingUnderAnEpochThatIsOver() {
    DatabaseConfig config = POSTGRES.fresh();
    installation = new Installation(config);
    Fixtures.seedExample(installation.neighbours);
    installation.start().awaitReady("rnd-3");
    FakeAgent agent = installation.agent("a-0").connect();
    JobServiceBlockingStub alice = installation.alice();
    submit(alice, submit("rnd-3", "r-0"));
    awaitState(alice, "r-0", Job.State.STATE_RUNNING);
    try (Database database = Database.open(config.asOwner())) {
      database
          .jooq()
          .execute(
              "update leadership set epoch = epoch + 1, leader = 'another', address = 'there:1',"
                  + " lease_until = clock_timestamp() + interval '1 hour'");
      Refused.by(() -> alice.submitJob(submit("rnd-3", "r-1")))
          .hasReason(Code.ABORTED, "OUTCOME_UNKNOWN");
      FakeAgent.awaitThat(agent::isOver);
      assertThat(agent.assigns()).as("nobody is told of what was not written").hasSize(1);
      Refused.by(() -> alice.submitJob(submit("rnd-3", "r-1")))
          .hasReason(Code.UNAVAILABLE, "NO_LEADER")
          .says("leader", "there:1");
      assertThat(jobs(alice)).isEqualTo(1);
    }
    // Both are gone, and so is the lease.
    installation.kill();
    installation.start().awaitReady("rnd-3");
    agent.connect();
    submit(alice, submit("rnd-3", "r-1"));
    awaitState(alice, "r-1", Job.State.STATE_RUNNING);
    assertThat(agent.begun()).containsEntry("r-0#1", 1);
    assertThat(
            agent.heard().stream()
                .filter(heard -> heard.hasAssign())
                .map(heard -> heard.getAssign().getLeadership().getEpoch()))
        .containsOnly(3L);
  }

  /// The SDK repeats what is answered with a retriable reason, and a second requeue would stop the
  /// job that the first one started.
  @Test
  void saysOfARequeueUnderAnEpochThatIsOverThatItsOutcomeIsUnknown() {
    DatabaseConfig config = POSTGRES.fresh();
    installation = new Installation(config);
    Fixtures.seedExample(installation.neighbours);
    installation.start().awaitReady("rnd-3");
    JobServiceBlockingStub alice = installation.alice();
    SubmitJobRequest request = submit("rnd-3", "r-0");
    submit(
        alice, request.toBuilder().setSpec(request.getSpec().toBuilder().setDraft(true)).build());
    try (Database database = Database.open(config.asOwner())) {
      database
          .jooq()
          .execute(
              "update leadership set epoch = epoch + 1, leader = 'another', address = 'there:1',"
                  + " lease_until = clock_timestamp() + interval '1 hour'");
      Refused.by(() ->
              alice.requeueJob(RequeueJobRequest.newBuilder().setName(ACME + "/jobs/r-0").build()))
          .hasReason(Code.ABORTED, "OUTCOME_UNKNOWN");
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"BEFORE_COMMIT", "AFTER_COMMIT"})
  void learnsTheOutcomeOfACommitWhoseAnswerWasLost(PostgresProxy.Cut where) throws Exception {
    try (PostgresProxy proxy = new PostgresProxy(POSTGRES.fresh())) {
      installation = new Installation(proxy.database());
      Fixtures.seedExample(installation.neighbours);
      installation.start().awaitReady("rnd-3");
      FakeAgent agent = installation.agent("a-0").connect();
      JobServiceBlockingStub alice = installation.alice();
      for (int i = 0; i < 3; i++) {
        String name = "r-" + i;
        proxy.cutNext(where);
        String request = UUID.randomUUID().toString();
        assertThat(submit(alice, submit("rnd-3", name).toBuilder().setRequestId(request).build()))
            .isEqualTo(name);
        assertThat(proxy.isCut()).as("the wire was cut").isTrue();
        awaitState(alice, name, Job.State.STATE_RUNNING);
      }
      assertThat(jobs(alice)).isEqualTo(3);
      assertThat(agent.begun().values()).containsOnly(1);
      assertThat(installation.service().isLeading()).as("nobody lost the lead").isTrue();
    }
  }

  /// The connection broke while its transaction was on its way; meanwhile the leader found that it
  /// did not happen, and wrote it again.
  @Test
  void aTransactionThatArrivesAfterItsRepetitionIsRefused() throws Exception {
    try (PostgresProxy proxy = new PostgresProxy(POSTGRES.fresh())) {
      installation = new Installation(proxy.database());
      Fixtures.seedExample(installation.neighbours);
      installation.start().awaitReady("rnd-3");
      FakeAgent agent = installation.agent("a-0").connect();
      JobServiceBlockingStub alice = installation.alice();
      proxy.cutNext(PostgresProxy.Cut.OVERTAKEN);
      submit(alice, submit("rnd-3", "r-0"));
      awaitState(alice, "r-0", Job.State.STATE_RUNNING);
      assertThat(proxy.arrives()).as("it was refused").isTrue();
      submit(alice, submit("rnd-3", "r-1"));
      awaitState(alice, "r-1", Job.State.STATE_RUNNING);
      assertThat(jobs(alice)).isEqualTo(2);
      assertThat(agent.begun().values()).containsOnly(1);
      assertThat(installation.service().isLeading()).as("nobody lost the lead").isTrue();
    }
  }

  /// As after a failover to a standby that had not heard of the last commits.
  @ParameterizedTest(name = "to epoch {0}")
  @ValueSource(longs = {1, 0})
  void stopsLeadingOnADatabaseThatWentBackUntilItsIncarnationChanges(long epoch) {
    DatabaseConfig config = POSTGRES.fresh();
    installation = new Installation(config);
    Fixtures.seedExample(installation.neighbours);
    installation.start().awaitReady("rnd-3");
    FakeAgent agent = installation.agent("a-0").connect();
    JobServiceBlockingStub alice = installation.alice();
    submit(alice, submit("rnd-3", "r-0"));
    awaitState(alice, "r-0", Job.State.STATE_RUNNING);
    agent.awaitAcknowledged();
    try (Database database = Database.open(config.asOwner())) {
      Record then = database.jooq().fetchSingle("select last_batch, version from leadership");
      submit(alice, submit("rnd-3", "r-1"));
      awaitState(alice, "r-1", Job.State.STATE_RUNNING);
      // One message, so that the leader writes nothing in between.
      database
          .jooq()
          .execute(
              """
              do $$ declare late bigint = (select id from job where name = 'r-1'); begin
                delete from attempt_worker where job_id = late;
                delete from attempt where job_id = late;
                delete from job_spec where job_id = late;
                delete from job where id = late;
                update leadership
                set last_batch = %s, version = %s, epoch = %s, lease_until = clock_timestamp();
              end $$
              """
                  .formatted(then.get(0), then.get(1), epoch));
      Refused.by(() -> alice.submitJob(submit("rnd-3", "r-2")))
          .hasReason(Code.ABORTED, "OUTCOME_UNKNOWN");
      FakeAgent.awaitThat(agent::isOver);
      agent.open(agent.hello());
      FakeAgent.awaitThat(() -> agent.has(ConnectResponse::hasNotLeader));
      Refused.by(() -> alice.submitJob(submit("rnd-3", "r-2")))
          .hasReason(Code.UNAVAILABLE, "NO_LEADER");
      assertThat(jobs(alice)).isEqualTo(1);
      assertThat(agent.stops()).isEmpty();
      assertThat(database.jooq().fetchSingle("select epoch from leadership").get(0, long.class))
          .as("nobody led since")
          .isEqualTo(epoch);
      database.jooq().execute("update leadership set incarnation = gen_random_uuid()");
      FakeAgent.awaitThat(installation.service()::isLeading);
    }
    agent.connect();
    agent.awaitStop("r-1");
    assertThat(submit(alice, submit("rnd-3", "r-2"))).as("a name that was not used").isNotEmpty();
    assertThat(agent.begun().values()).containsOnly(1);
  }

  @Test
  void theServerEndsTheTransactionOfALeaderThatStandsStill() throws Exception {
    DatabaseConfig config = POSTGRES.fresh();
    try (PostgresProxy proxy = new PostgresProxy(config);
        Database database = Database.open(config.asOwner())) {
      // Servers before 17 end no transactions.
      Needed.POSTGRES_17.demand(
          database
                  .jooq()
                  .fetchSingle("select current_setting('server_version_num')::int")
                  .get(0, int.class)
              >= 170_000);
      installation = new Installation(proxy.database(), each -> each.with(Installation.ELECTING));
      Fixtures.seedExample(installation.neighbours);
      installation.start().awaitReady("rnd-3");
      JobServiceBlockingStub alice = installation.alice();
      proxy.cutNext(PostgresProxy.Cut.STANDS_STILL);
      String request = UUID.randomUUID().toString();
      CompletableFuture<String> answer =
          CompletableFuture.supplyAsync(() ->
              submit(alice, submit("rnd-3", "r-0").toBuilder().setRequestId(request).build()));
      FakeAgent.awaitThat(proxy::isCut);
      // The successor needs this row; it would wait for ever if the server did not end the
      // transaction.
      CompletableFuture<Integer> taken =
          CompletableFuture.supplyAsync(
              () -> database.jooq().execute("update leadership set lease_until = lease_until"));
      assertThat(taken).succeedsWithin(Installation.PATIENCE).isEqualTo(1);
      // One that lives finds out and says it again.
      assertThat(answer).succeedsWithin(Installation.PATIENCE).isEqualTo("r-0");
    }
  }
}
