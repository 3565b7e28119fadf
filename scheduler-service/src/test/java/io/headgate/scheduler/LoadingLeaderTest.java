package io.headgate.scheduler;

import static io.headgate.scheduler.Fixtures.ACME;
import static io.headgate.scheduler.Fixtures.submit;
import static io.headgate.scheduler.Installation.awaitState;
import static io.headgate.scheduler.Installation.get;
import static io.headgate.scheduler.Installation.submit;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status.Code;
import io.grpc.stub.MetadataUtils;
import io.headgate.kit.client.Channels;
import io.headgate.kit.db.DatabaseConfig;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.kit.testing.TestChannels;
import io.headgate.proto.scheduler.v1.Job;
import io.headgate.proto.scheduler.v1.JobServiceGrpc;
import io.headgate.proto.scheduler.v1.JobServiceGrpc.JobServiceBlockingStub;
import io.headgate.proto.scheduler.v1.ListJobsRequest;
import io.headgate.scheduler.runtime.record.Failpoint;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// A scheduler that has been elected and still loads: calls that come meanwhile wait. Callers make
/// each call once here.
final class LoadingLeaderTest {
  @RegisterExtension static final PostgresFixture POSTGRES = PostgresFixture.of("scheduler");

  private final CountDownLatch loaded = new CountDownLatch(1);
  private final CountDownLatch loading = new CountDownLatch(1);
  private final List<ManagedChannel> channels = new ArrayList<>();
  private DatabaseConfig config;
  private Installation leader;
  private FakeAgent agent;
  private volatile boolean failsToLoad;

  @BeforeEach
  void start() throws InterruptedException {
    config = POSTGRES.fresh();
    leader = new Installation(config);
    Fixtures.seedExample(leader.neighbours);
    leader.start().awaitReady("rnd-3");
    agent = leader.agent("a-0").connect();
    submit(leader.alice(), submit("rnd-3", "r-0"));
    awaitState(leader.alice(), "r-0", Job.State.STATE_RUNNING);
    agent.awaitAcknowledged();
    leader.kill();
    leader.start(this::stayLoading);
    assertThat(loading.await(FakeAgent.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
  }

  private void stayLoading(Failpoint point) {
    if (point == Failpoint.MID_LOAD) {
      loading.countDown();
      try {
        loaded.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      if (failsToLoad) {
        throw new IllegalStateException("what was read is of no use");
      }
    }
  }

  @AfterEach
  void stop() {
    loaded.countDown();
    channels.forEach(ManagedChannel::shutdownNow);
    leader.close();
  }

  private JobServiceBlockingStub alice(Installation door) {
    ManagedChannel channel =
        Channels.openForOthers(
            TestChannels.patient(URI.create("http://" + door.address())), Telemetry.disabled());
    channels.add(channel);
    Metadata headers = new Metadata();
    headers.put(
        Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER),
        "Bearer " + door.tokens.member("acme", "alice", "rnd"));
    return JobServiceGrpc.newBlockingStub(channel)
        .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers));
  }

  /// Each on a thread of its own: a call that waits keeps it.
  private static void run(Runnable task) {
    Thread.ofVirtual().start(task);
  }

  /// A submission that has come to the loading scheduler and waits there.
  private CompletableFuture<String> waiting(JobServiceBlockingStub alice, String job) {
    int before = leader.calls();
    CompletableFuture<String> answer =
        CompletableFuture.supplyAsync(
            () -> submit(alice, submit("rnd-3", job)), LoadingLeaderTest::run);
    FakeAgent.awaitThat(() -> leader.calls() > before);
    assertThat(answer).isNotDone();
    return answer;
  }

  @Test
  void answersCallsThatWaitedForTheTakeover() {
    JobServiceBlockingStub alice = alice(leader);
    CompletableFuture<String> first = waiting(alice, "r-1");
    CompletableFuture<String> second = waiting(alice, "r-2");
    loaded.countDown();
    assertThat(first.join()).isEqualTo("r-1");
    assertThat(second.join()).isEqualTo("r-2");
  }

  @Test
  void answersCallsThatAnotherReplicaPassedOn() {
    Installation door = leader.beside("door").asDoor().start();
    try {
      FakeAgent.awaitThat(() -> door.service().epoch() == 2);
      CompletableFuture<String> answer = waiting(alice(door), "r-1");
      loaded.countDown();
      assertThat(answer.join()).isEqualTo("r-1");
    } finally {
      loaded.countDown();
      door.stop();
    }
  }

  @Test
  void readsJobsWithoutWaiting() {
    assertThat(get(alice(leader), "r-0").getState()).isEqualTo(Job.State.STATE_RUNNING);
  }

  @Test
  void refusesWaitingCallsWhenItDoesNotBecomeLeader() {
    JobServiceBlockingStub alice = alice(leader);
    CompletableFuture<Refused> answer =
        CompletableFuture.supplyAsync(
            () -> Refused.by(() -> alice.submitJob(submit("rnd-3", "r-1"))),
            LoadingLeaderTest::run);
    FakeAgent.awaitThat(() -> leader.calls() > 0);
    failsToLoad = true;
    loaded.countDown();
    answer.join().hasReason(Code.UNAVAILABLE, "NO_LEADER");
  }

  @Test
  void dropsCallsWhoseDeadlinePassed() {
    JobServiceBlockingStub hasty = alice(leader).withDeadlineAfter(300, TimeUnit.MILLISECONDS);
    assertThatThrownBy(() -> hasty.submitJob(submit("rnd-3", "r-1")))
        .hasMessageContaining(Code.DEADLINE_EXCEEDED.name());
    FakeAgent.awaitThat(() -> leader.calls() == 0);
    loaded.countDown();
    FakeAgent.awaitThat(leader.service()::isLeading);
    JobServiceBlockingStub alice = alice(leader);
    assertThat(submit(alice, submit("rnd-3", "r-2"))).isEqualTo("r-2");
    assertThat(alice.listJobs(ListJobsRequest.newBuilder().setParent(ACME).build()).getJobsCount())
        .isEqualTo(2);
  }
}
