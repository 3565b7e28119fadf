package io.headgate.scheduler;

import static io.headgate.scheduler.Fixtures.ACME;
import static io.headgate.scheduler.Fixtures.node;
import static io.headgate.scheduler.Fixtures.submit;
import static io.headgate.scheduler.Installation.awaitState;
import static io.headgate.scheduler.Installation.get;
import static io.headgate.scheduler.Installation.submit;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.kit.failure.GrpcFailures;
import io.headgate.proto.agent.v1.AttemptReport;
import io.headgate.proto.agent.v1.AttemptReport.EndReason;
import io.headgate.proto.agent.v1.AttemptReport.State;
import io.headgate.proto.agent.v1.ConnectResponse;
import io.headgate.proto.agent.v1.Leadership;
import io.headgate.proto.agent.v1.Stop;
import io.headgate.proto.pool.v1.Node;
import io.headgate.proto.scheduler.v1.Job;
import io.headgate.proto.scheduler.v1.JobServiceGrpc.JobServiceBlockingStub;
import io.headgate.proto.scheduler.v1.ListNodeUsagesRequest;
import io.headgate.proto.scheduler.v1.ListPoolUsagesRequest;
import io.headgate.proto.scheduler.v1.NodeUsage;
import io.headgate.proto.scheduler.v1.PoolUsage;
import io.headgate.proto.scheduler.v1.SubmitJobRequest;
import io.headgate.proto.scheduler.v1.UsageServiceGrpc.UsageServiceBlockingStub;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// A node with a running job, and what neither bad peers nor its operator's orders do to that job.
final class NodesTest {
  @RegisterExtension static final SharedInstallation SHARED = new SharedInstallation();

  private JobServiceBlockingStub alice;
  private FakeAgent agent;
  private String job;
  private AttemptReport ended;

  @BeforeEach
  void run() {
    alice = SHARED.get().alice();
    agent = SHARED.agent();
    job = SHARED.fresh("j");
    submit(alice, submit("rnd-1", job));
    awaitState(alice, job, Job.State.STATE_RUNNING);
    ended =
        agent.spoken().getLast().getReport().toBuilder()
            .setState(State.STATE_ENDED)
            .setEndReason(EndReason.END_REASON_EXITED)
            .build();
  }

  @AfterEach
  void end() {
    assertThat(get(alice, job).getState()).isEqualTo(Job.State.STATE_RUNNING);
    agent.exits(job, 0);
    awaitState(alice, job, Job.State.STATE_DONE);
    assertThat(agent.stops()).isEmpty();
  }

  private static void isRefused(FakeAgent agent, String reason) {
    FakeAgent.awaitThat(agent::isOver);
    assertThat(GrpcFailures.refusal(agent.failure().orElseThrow()).orElseThrow().reason())
        .isEqualTo(reason);
  }

  @Test
  void aNodeOfAnotherTenantIsBelievedNothingAndGivenNothing() {
    Installation installation = SHARED.get();
    try (FakeAgent foreign =
        new FakeAgent(
            "acme", "a-0", installation.channel(installation.tokens.node("umbrella", "a-0")))) {
      foreign.open(foreign.hello().setNode(ACME + "/nodes/a-0"));
      isRefused(foreign, "FOREIGN_NODE");
      // A node of the same name.
      foreign.open(foreign.hello().setNode("tenants/umbrella/nodes/a-0"));
      FakeAgent.awaitThat(() -> foreign.has(ConnectResponse::hasWelcome));
      foreign.say(ended);
      foreign.say(ended.toBuilder().setState(State.STATE_RUNNING).build());
      assertThat(foreign.awaitStop(job).getKind()).isEqualTo(Stop.Kind.KIND_ORPHAN);
      String next = SHARED.fresh("j");
      submit(alice, submit("rnd-1", next));
      agent.awaitAssign(next);
      agent.exits(next, 0);
      assertThat(foreign.assigns()).isEmpty();
    }
  }

  @Test
  void aMessageOverTheLimitEndsItsStreamAndNothingElse() {
    Leadership leader = agent.heard().getFirst().getWelcome().getLeadership();
    agent.say(ended.toBuilder().setError("x".repeat(2 << 20)).build());
    isRefused(agent, "MESSAGE_TOO_LARGE");
    agent.connect();
    assertThat(agent.heard().getFirst().getWelcome().getLeadership()).isEqualTo(leader);
    assertThat(
            usage()
                .listNodeUsages(ListNodeUsagesRequest.newBuilder().setParent(ACME).build())
                .getUsagesList())
        .extracting(NodeUsage::getNode)
        .containsExactly("a-0");
  }

  @Test
  void aDrainedNodeStartsNothingAndEndsNothing() {
    Neighbours neighbours = SHARED.get().neighbours;
    neighbours.register(
        node("a-0", "onprem", 10).toBuilder().setState(Node.State.STATE_DRAINING).build());
    String name = SHARED.fresh("j");
    SubmitJobRequest next = submit("rnd-1", name);
    FakeAgent.awaitThat(
        () -> alice.submitJob(next.toBuilder().setValidateOnly(true).build()).hasReason());
    submit(alice, next);
    assertThat(get(alice, name).getState()).isEqualTo(Job.State.STATE_WAITING);
    neighbours.register(node("a-0", "onprem", 10));
    agent.awaitAssign(name);
    agent.exits(name, 0);
    awaitState(alice, name, Job.State.STATE_DONE);
  }

  /// Rejections of the same jobs would set the node aside, because they are of two users.
  @Test
  void aNodeIsNotBlamedForJobsThatNoMachineCanStart() {
    agent.slowToStart();
    try {
      for (int i = 0; i < 3; i++) {
        cannotStart(alice, "rnd-1");
        cannotStart(SHARED.get().eve(), "devops-2");
      }
    } finally {
      agent.quick();
    }
    NodeUsage node =
        usage()
            .listNodeUsages(ListNodeUsagesRequest.newBuilder().setParent(ACME).build())
            .getUsages(0);
    assertThat(node.hasSetAsideUntil()).as(node.getSetAsideReason()).isFalse();
    String next = SHARED.fresh("j");
    submit(alice, submit("rnd-1", next));
    awaitState(alice, next, Job.State.STATE_RUNNING);
    agent.exits(next, 0);
    awaitState(alice, next, Job.State.STATE_DONE);
  }

  private void cannotStart(JobServiceBlockingStub user, String queue) {
    String malformed = SHARED.fresh("j");
    submit(user, submit(queue, malformed));
    agent.awaitAssign(malformed);
    agent.report(
        malformed,
        report ->
            report
                .setState(State.STATE_ENDED)
                .setEndReason(EndReason.END_REASON_START_FAILED)
                .setError("command: no such file"));
    Job failed = awaitState(user, malformed, Job.State.STATE_FAILED);
    assertThat(failed.getAttemptsList())
        .singleElement()
        .satisfies(attempt -> assertThat(attempt.getError()).isEqualTo("command: no such file"));
  }

  @Test
  void aRemovedPoolIsListedWithTheJobsThatRunInIt() {
    PoolUsage before = pool("onprem");
    assertThat(before.getUsed()).isEqualTo("1");
    assertThat(before.getIdle()).isEqualTo("9");
    assertThat(before.getCapacity()).isEqualTo("10");
    Neighbours neighbours = SHARED.get().neighbours;
    neighbours.provision(
        Fixtures.resources(
            List.of(Fixtures.pool("other")), List.of(Fixtures.profile("one", "1", "other"))));
    try {
      FakeAgent.awaitThat(() -> pool("onprem").getIdle().equals("0"));
      PoolUsage removed = pool("onprem");
      assertThat(removed.getUsed()).isEqualTo("1");
      assertThat(removed.getRunningJobs()).isEqualTo(1);
      assertThat(removed.getNodes()).isEqualTo(1);
      assertThat(removed.getCapacity()).as("nothing can start there").isEqualTo("0");
      assertThat(get(alice, job).getState()).isEqualTo(Job.State.STATE_RUNNING);
    } finally {
      Fixtures.seedExample(neighbours);
    }
    FakeAgent.awaitThat(() -> pool("onprem").equals(before));
  }

  private PoolUsage pool(String id) {
    return usage()
        .listPoolUsages(ListPoolUsagesRequest.newBuilder().setParent(ACME).build())
        .getUsagesList()
        .stream()
        .filter(usage -> usage.getPool().equals(id))
        .findFirst()
        .orElseThrow();
  }

  private static UsageServiceBlockingStub usage() {
    return SHARED.get().usage(SHARED.get().tokens.member("acme", "alice"));
  }
}
