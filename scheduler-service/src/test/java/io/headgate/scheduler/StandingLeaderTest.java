package io.headgate.scheduler;

import static io.headgate.scheduler.Fixtures.ACME;
import static io.headgate.scheduler.Fixtures.submit;
import static io.headgate.scheduler.Installation.get;
import static io.headgate.scheduler.Installation.submit;
import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status.Code;
import io.grpc.stub.MetadataUtils;
import io.headgate.kit.client.Channels;
import io.headgate.kit.db.Database;
import io.headgate.kit.db.DatabaseConfig;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.kit.testing.TestChannels;
import io.headgate.kit.testing.Wire;
import io.headgate.proto.scheduler.v1.GetLeadershipRequest;
import io.headgate.proto.scheduler.v1.Job;
import io.headgate.proto.scheduler.v1.JobServiceGrpc;
import io.headgate.proto.scheduler.v1.JobServiceGrpc.JobServiceBlockingStub;
import io.headgate.proto.scheduler.v1.RequeueJobRequest;
import io.headgate.proto.scheduler.v1.SubmitJobRequest;
import io.headgate.proto.scheduler.v1.WatchJobsRequest;
import io.headgate.proto.scheduler.v1.WatchJobsResponse;
import java.io.IOException;
import java.net.URI;
import java.util.Iterator;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// A leader stands still: its connections stay open, and it sends nothing.
///
/// A replica that passed calls on to it waits only until the row of leadership names another
/// leader, or the lease is over. No deadline ends a call here: those of the callers are two
/// minutes.
@Order(1) // It takes longest.
final class StandingLeaderTest {
  @RegisterExtension static final PostgresFixture POSTGRES = PostgresFixture.of("scheduler");

  private Wire wire;
  private Installation leader;
  private Installation door;
  private Database database;
  private ManagedChannel channel;
  private JobServiceBlockingStub alice;

  @BeforeEach
  void start() throws IOException {
    DatabaseConfig config = POSTGRES.fresh();
    database = Database.open(config.asOwner());
    leader = new Installation(config);
    wire = Wire.to(URI.create("http://" + leader.address()).getPort());
    Fixtures.seedExample(leader.neighbours);
    leader.reachedAt(wire.address()).start().awaitReady("rnd-3");
    door = leader.beside("door").reachedAt("127.0.0.1:1").asDoor().start();
    // Each call is made once, so that the first answer counts.
    channel =
        Channels.openForOthers(
            TestChannels.patient(URI.create("http://" + door.address())), Telemetry.disabled());
    Metadata headers = new Metadata();
    headers.put(
        Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER),
        "Bearer " + door.tokens.member("acme", "alice", "rnd"));
    alice =
        JobServiceGrpc.newBlockingStub(channel)
            .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers));
    FakeAgent.awaitThat(() -> followedEpoch() == 1);
    submit(alice, submit("rnd-3", "r-0"));
  }

  @AfterEach
  void stop() throws IOException {
    channel.shutdownNow();
    wire.resume();
    database.close();
    door.close();
    leader.close();
    wire.close();
  }

  private long followedEpoch() {
    return door.usage(door.tokens.operator())
        .getLeadership(GetLeadershipRequest.getDefaultInstance())
        .getEpoch();
  }

  private static SubmitJobRequest named(String id) {
    return submit("rnd-3", id).toBuilder().setRequestId(UUID.randomUUID().toString()).build();
  }

  /// A call that has left for the leader, and hangs.
  private CompletableFuture<Refused> hanging(SubmitJobRequest request) {
    return hanging(() -> alice.submitJob(request));
  }

  private CompletableFuture<Refused> hanging(ThrowingCallable call) {
    int before = wire.held();
    CompletableFuture<Refused> answer = CompletableFuture.supplyAsync(() -> Refused.by(call));
    FakeAgent.awaitThat(() -> wire.held() > before);
    return answer;
  }

  private void anotherLeads() {
    database
        .jooq()
        .execute(
            "update leadership set epoch = 2, leader = 'scheduler-3', address = '127.0.0.1:2',"
                + " lease_until = clock_timestamp() + interval '1 hour'");
  }

  @Test
  void endsItsCallsWhenAnotherLeads() {
    wire.stall();
    CompletableFuture<Refused> repeatable = hanging(named("r-1"));
    anotherLeads();
    repeatable.join().hasReason(Code.UNAVAILABLE, "LEADER_CHANGED");
    Refused.by(() -> alice.submitJob(named("r-2"))).hasReason(Code.UNAVAILABLE, "NO_LEADER");
  }

  @Test
  void saysThatTheOutcomeOfACallIsUnknown() {
    wire.stall();
    CompletableFuture<Refused> unnamed =
        hanging(submit("rnd-3", "r-1").toBuilder().clearRequestId().build());
    anotherLeads();
    unnamed.join().hasReason(Code.ABORTED, "OUTCOME_UNKNOWN");
  }

  /// The SDK repeats what is answered with a retriable reason, and a second requeue would stop the
  /// job that the first one started.
  @Test
  void saysOfARequeueThatItsOutcomeIsUnknown() {
    wire.stall();
    CompletableFuture<Refused> requeue =
        hanging(() ->
            alice.requeueJob(RequeueJobRequest.newBuilder().setName(ACME + "/jobs/r-0").build()));
    anotherLeads();
    requeue.join().hasReason(Code.ABORTED, "OUTCOME_UNKNOWN");
  }

  @Test
  void endsItsStreamsToo() {
    Iterator<WatchJobsResponse> watch =
        alice.watchJobs(WatchJobsRequest.newBuilder().setParent(ACME).build());
    assertThat(watch.next().getJobs(0).getName()).endsWith("r-0");
    wire.stall();
    anotherLeads();
    Refused.by(
            () -> {
              while (true) {
                watch.next();
              }
            })
        .hasReason(Code.UNAVAILABLE, "LEADER_CHANGED");
  }

  @Test
  void endsItsCallsWhenTheLeaseIsOverEvenWithoutASuccessor() {
    wire.stall();
    // While it leads for sure: its lease would soon be over once it is dead.
    CompletableFuture<Refused> hanging = hanging(named("r-1"));
    leader.service().kill();
    CompletableFuture<Job> read = CompletableFuture.supplyAsync(() -> get(alice, "r-0"));
    database.jooq().execute("update leadership set lease_until = clock_timestamp()");
    hanging.join().hasReason(Code.UNAVAILABLE, "LEADER_CHANGED");
    assertThat(read.join().getName()).as("read here instead").endsWith("r-0");
    Refused.by(() -> alice.submitJob(named("r-2"))).hasReason(Code.UNAVAILABLE, "NO_LEADER");
    assertThat(get(alice, "r-0").getState()).isEqualTo(Job.State.STATE_WAITING);
  }
}
