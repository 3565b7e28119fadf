package io.headgate.scheduler;

import static io.headgate.scheduler.Fixtures.ACME;
import static io.headgate.scheduler.Fixtures.submit;
import static io.headgate.scheduler.Installation.awaitState;
import static io.headgate.scheduler.Installation.get;
import static io.headgate.scheduler.Installation.submit;
import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status.Code;
import io.headgate.kit.db.Database;
import io.headgate.kit.db.DatabaseConfig;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.proto.agent.v1.ConnectResponse;
import io.headgate.proto.scheduler.v1.CancelJobRequest;
import io.headgate.proto.scheduler.v1.ExplainJobRequest;
import io.headgate.proto.scheduler.v1.GetLeadershipRequest;
import io.headgate.proto.scheduler.v1.Job;
import io.headgate.proto.scheduler.v1.JobServiceGrpc.JobServiceBlockingStub;
import io.headgate.proto.scheduler.v1.ListEventsRequest;
import io.headgate.proto.scheduler.v1.ListJobsRequest;
import io.headgate.proto.scheduler.v1.ListNodeUsagesRequest;
import io.headgate.proto.scheduler.v1.ReadJobLogsRequest;
import io.headgate.proto.scheduler.v1.ReadJobLogsResponse;
import io.headgate.proto.scheduler.v1.WatchJobsRequest;
import io.headgate.proto.scheduler.v1.WatchJobsResponse;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// A scheduler that does not lead is a door to the one that does.
@Order(1) // It takes longest.
final class FollowerTest {
  @RegisterExtension static final PostgresFixture POSTGRES = PostgresFixture.of("scheduler");

  private Installation leader;
  private Installation follower;
  private Database database;
  private JobServiceBlockingStub alice;
  private FakeAgent agent;

  @BeforeEach
  void start() {
    DatabaseConfig config = POSTGRES.fresh();
    database = Database.open(config.asOwner());
    leader = new Installation(config);
    Fixtures.seedExample(leader.neighbours, List.of("nightly"));
    leader.start().awaitReady("rnd-3");
    agent = leader.agent("a-0").connect();
    follower = leader.beside("scheduler-2").start();
    FakeAgent.awaitThat(() -> followedEpoch() == 1);
    alice = follower.alice();
  }

  @AfterEach
  void stop() {
    database.close();
    follower.close();
    leader.close();
  }

  private long followedEpoch() {
    return follower
        .usage(follower.tokens.operator())
        .getLeadership(GetLeadershipRequest.getDefaultInstance())
        .getEpoch();
  }

  @Test
  void passesCallsForTheLeaderOn() {
    submit(alice, submit("rnd-3", "r-0"));
    awaitState(alice, "r-0", Job.State.STATE_RUNNING);
    submit(alice, submit("rnd-3", "r-1"));
    submit(alice, submit("rnd-3", "r-2"));
    submit(alice, submit("rnd-3", "r-3"));
    assertThat(get(alice, "r-3").getReason().getCode()).as("why it waits").isNotEmpty();
    assertThat(
            alice
                .explainJob(ExplainJobRequest.newBuilder().setName(ACME + "/jobs/r-3").build())
                .getJob()
                .getReason()
                .getCode())
        .isNotEmpty();
    assertThat(
            follower
                .usage(follower.tokens.member("acme", "alice"))
                .listNodeUsages(ListNodeUsagesRequest.newBuilder().setParent(ACME).build())
                .getUsagesCount())
        .isEqualTo(1);
    alice.cancelJob(CancelJobRequest.newBuilder().setName(ACME + "/jobs/r-3").build());
    awaitState(leader.alice(), "r-3", Job.State.STATE_CANCELLED);
    assertThat(
            alice
                .listEvents(ListEventsRequest.newBuilder().setParent(ACME).build())
                .getEventsList())
        .isNotEmpty();
  }

  @Test
  void passesOnStreams() {
    submit(alice, submit("rnd-3", "r-0"));
    awaitState(alice, "r-0", Job.State.STATE_RUNNING);
    Iterator<ReadJobLogsResponse> logs =
        alice.readJobLogs(ReadJobLogsRequest.newBuilder().setName(ACME + "/jobs/r-0").build());
    assertThat(logs.next().getData().toStringUtf8()).isEqualTo("hello from a-0\n");

    Iterator<WatchJobsResponse> watch =
        alice.watchJobs(WatchJobsRequest.newBuilder().setParent(ACME).build());
    assertThat(watch.next().getJobs(0).getName()).endsWith("r-0");
    agent.exits("r-0", 0);
    List<Job> seen = new ArrayList<>();
    while (seen.stream().noneMatch(job -> job.getState() == Job.State.STATE_DONE)) {
      seen.addAll(watch.next().getJobsList());
    }
    leader.cutOff();
    Refused.by(watch::next).hasReason(Code.UNAVAILABLE, "SERVER_STOPPING");
  }

  @Test
  void servesJsonToo() throws Exception {
    submit(alice, submit("rnd-3", "r-0"));
    HttpResponse<String> answer;
    try (HttpClient http = HttpClient.newHttpClient()) {
      answer =
          http.send(
              HttpRequest.newBuilder(
                      URI.create("http://" + follower.address() + "/v1/" + ACME + "/jobs/r-0"))
                  .header("authorization", "Bearer " + leader.tokens.member("acme", "alice", "rnd"))
                  .build(),
              HttpResponse.BodyHandlers.ofString());
    }
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.body()).contains("\"tenants/acme/jobs/r-0\"");
  }

  @Test
  void returnsTheLeadersRefusalsUnchanged() {
    Refused.by(() -> alice.submitJob(submit("rnd-9", "r-0")))
        .hasReason(Code.NOT_FOUND, "QUEUE_NOT_FOUND");
    Refused.by(() -> follower.eve().submitJob(submit("rnd-3", "r-0")))
        .hasReason(Code.NOT_FOUND, "QUEUE_NOT_FOUND");
    assertThat(alice.listJobs(ListJobsRequest.newBuilder().setParent(ACME).build()).getJobsList())
        .isEmpty();
  }

  @Test
  void tellsAgentsWhereTheLeaderIs() {
    FakeAgent other = follower.agent("a-0").connect();
    FakeAgent.awaitThat(other::isOver);
    assertThat(other.heard())
        .filteredOn(ConnectResponse::hasNotLeader)
        .extracting(heard -> heard.getNotLeader().getAddress())
        .containsExactly(leader.address());
  }

  @Test
  void readsByItselfWithoutALeader() {
    submit(alice, submit("rnd-3", "r-0"));
    awaitState(alice, "r-0", Job.State.STATE_RUNNING);
    leader.killJustNow();
    assertThat(get(alice, "r-0").getState()).isEqualTo(Job.State.STATE_RUNNING);
    assertThat(alice.listJobs(ListJobsRequest.newBuilder().setParent(ACME).build()).getJobsCount())
        .isEqualTo(1);
    // By the rights that the leader stored last.
    JobServiceBlockingStub mate = follower.jobs(follower.tokens.serviceAccount("acme", "nightly"));
    assertThat(get(mate, "r-0").getState()).isEqualTo(Job.State.STATE_RUNNING);
    Refused.by(() -> get(follower.eve(), "r-0")).hasReason(Code.NOT_FOUND, "JOB_NOT_FOUND");
    assertThat(
            follower
                .eve()
                .listJobs(ListJobsRequest.newBuilder().setParent(ACME).build())
                .getCountsMap())
        .isEmpty();
    assertThat(
            follower
                .eve()
                .listEvents(ListEventsRequest.newBuilder().setParent(ACME).build())
                .getEventsList())
        .allSatisfy(event -> assertThat(event.getJob()).isEmpty());
    Refused.by(() -> alice.submitJob(submit("rnd-3", "r-1")))
        .hasReason(Code.UNAVAILABLE, "NO_LEADER");

    String request = UUID.randomUUID().toString();
    database.jooq().execute("update leadership set lease_until = clock_timestamp()");
    FakeAgent.awaitThat(follower.service()::isLeading);
    assertThat(submit(alice, submit("rnd-3", "r-1").toBuilder().setRequestId(request).build()))
        .isEqualTo("r-1");
  }

  @Test
  void saysThatTheOutcomeOfACallIsUnknownWhenItsLeaderIsLost() {
    // Decided and not durable: the leader's commits wait for the row.
    database
        .jooq()
        .transaction(transaction -> {
          transaction.dsl().execute("select 1 from leadership for update");
          int before = leader.calls();
          CompletableFuture<Refused> answer =
              CompletableFuture.supplyAsync(
                  () -> Refused.by(() -> alice.submitJob(submit("rnd-3", "r-0"))));
          FakeAgent.awaitThat(() -> leader.calls() > before);
          leader.cutOff();
          answer.join().hasReason(Code.ABORTED, "OUTCOME_UNKNOWN");
        });
  }
}
