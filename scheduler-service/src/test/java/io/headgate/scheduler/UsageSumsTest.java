package io.headgate.scheduler;

import static io.headgate.scheduler.Fixtures.ACME;
import static io.headgate.scheduler.Fixtures.access;
import static io.headgate.scheduler.Fixtures.group;
import static io.headgate.scheduler.Fixtures.node;
import static io.headgate.scheduler.Fixtures.policy;
import static io.headgate.scheduler.Fixtures.pool;
import static io.headgate.scheduler.Fixtures.profile;
import static io.headgate.scheduler.Fixtures.queue;
import static io.headgate.scheduler.Fixtures.resources;
import static io.headgate.scheduler.Fixtures.submit;
import static io.headgate.scheduler.Installation.awaitState;
import static io.headgate.scheduler.Installation.submit;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.util.Durations;
import com.google.protobuf.util.Timestamps;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.proto.scheduler.v1.Job;
import io.headgate.proto.scheduler.v1.JobServiceGrpc.JobServiceBlockingStub;
import io.headgate.proto.scheduler.v1.ListPolicyUsagesRequest;
import io.headgate.proto.scheduler.v1.ListPoolUsagesRequest;
import io.headgate.proto.scheduler.v1.PolicyUsage;
import io.headgate.proto.scheduler.v1.PoolUsage;
import io.headgate.proto.scheduler.v1.SubmitJobRequest;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// The sums of pools and policies that a live view shows.
final class UsageSumsTest {
  @RegisterExtension static final PostgresFixture POSTGRES = PostgresFixture.of("scheduler");

  private Installation installation;
  private JobServiceBlockingStub alice;

  @BeforeEach
  void start() {
    installation = new Installation(POSTGRES.fresh());
    installation.neighbours.provision(
        resources(
            List.of(pool("onprem"), pool("other")),
            List.of(
                profile("three", "3", "onprem", "other"),
                profile("two", "2", "other").toBuilder()
                    .setHoldAfter(Durations.fromMillis(1))
                    .build(),
                profile("one", "1", "other"))));
    installation.neighbours.grant(
        access(
            List.of(group("rnd", "alice"), group("devops", "eve")),
            List.of(policy("rnd", "rnd", "20", "20"), policy("devops", "devops", "0", "20")),
            List.of(
                queue("rnd-3", "rnd", "three", 1),
                queue("rnd-2", "rnd", "two", 1),
                queue("rnd-1", "rnd", "one", 1))));
    installation.neighbours.register(node("a-0", "onprem", 4));
    installation.neighbours.register(node("b-0", "other", 2));
    installation.start().awaitReady("rnd-3");
    alice = installation.alice();
    installation.agent("a-0").connect();
    installation.agent("b-0").connect();
  }

  @AfterEach
  void stop() {
    installation.close();
  }

  private PoolUsage seen(String user, String pool) {
    return installation
        .usage(installation.tokens.member("acme", user))
        .listPoolUsages(ListPoolUsagesRequest.newBuilder().setParent(ACME).build())
        .getUsagesList()
        .stream()
        .filter(usage -> usage.getPool().equals(pool))
        .findFirst()
        .orElseThrow();
  }

  private PolicyUsage ofRnd() {
    return installation
        .usage(installation.tokens.member("acme", "alice"))
        .listPolicyUsages(ListPolicyUsagesRequest.newBuilder().setParent(ACME).build())
        .getUsages(0);
  }

  @Test
  void aPoolTellsWhichJobsWaitForItAndWhatNoneCanUse() {
    for (int i = 0; i < 3; i++) {
      submit(alice, submit("rnd-3", "r-" + i));
    }
    awaitState(alice, "r-0", Job.State.STATE_RUNNING);

    FakeAgent.awaitThat(() -> seen("alice", "onprem").getUnusable().equals("1"));
    assertThat(seen("alice", "onprem").getIdle()).isEqualTo("1");
    assertThat(seen("alice", "onprem").getWaitingJobs()).isEqualTo(2);
    assertThat(seen("alice", "other").getWaitingJobs()).as("they may run there, too").isEqualTo(2);
    assertThat(seen("alice", "other").getUnusable()).as("one and two fit").isEqualTo("0");
    assertThat(seen("eve", "onprem").getWaitingJobs()).as("jobs of another team").isZero();
    assertThat(seen("eve", "onprem").getUnusable()).isEqualTo("1");
  }

  @Test
  void aPolicyTellsTheExpectedStartOfItsHold() {
    long begun = System.currentTimeMillis();
    for (int hours = 1; hours <= 2; hours++) {
      submit(alice, lasting("rnd-1", "one-" + hours, hours));
      awaitState(alice, "one-" + hours, Job.State.STATE_RUNNING);
    }
    assertThat(ofRnd().hasNextExpectedStartTime()).as("no job waits").isFalse();

    submit(alice, lasting("rnd-2", "two", 1));

    FakeAgent.awaitThat(() -> ofRnd().hasNextExpectedStartTime());
    assertThat(Timestamps.toMillis(ofRnd().getNextExpectedStartTime()) - begun)
        .as("the second one ends by then")
        .isBetween(7_200_000L, 7_260_000L);
  }

  private static SubmitJobRequest lasting(String queue, String name, int hours) {
    SubmitJobRequest.Builder request = submit(queue, name).toBuilder();
    request.getSpecBuilder().setMaxRuntime(Durations.fromHours(hours));
    return request.build();
  }
}
