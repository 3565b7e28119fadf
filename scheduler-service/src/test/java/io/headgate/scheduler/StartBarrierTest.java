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
import static io.headgate.scheduler.Installation.get;
import static io.headgate.scheduler.Installation.submit;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.kit.testing.PostgresFixture;
import io.headgate.proto.agent.v1.Assign;
import io.headgate.proto.agent.v1.AttemptReport.EndReason;
import io.headgate.proto.agent.v1.ConnectResponse;
import io.headgate.proto.agent.v1.Go;
import io.headgate.proto.scheduler.v1.CancelJobRequest;
import io.headgate.proto.scheduler.v1.Job;
import io.headgate.proto.scheduler.v1.JobServiceGrpc.JobServiceBlockingStub;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// A gang of two on two machines, at its start barrier: a leader that dies there, a user who
/// cancels, and a machine that goes.
final class StartBarrierTest {
  @RegisterExtension static final PostgresFixture POSTGRES = PostgresFixture.of("scheduler");

  private static final int PORT = 29500;

  private Installation installation;
  private JobServiceBlockingStub alice;
  private FakeAgent first;
  private FakeAgent second;

  @BeforeEach
  void start() {
    installation = new Installation(POSTGRES.fresh());
    installation.neighbours.provision(
        resources(
            List.of(pool("onprem")),
            List.of(profile("pair", "1", "onprem").toBuilder().setWorkers(2).build())));
    installation.neighbours.grant(
        access(
            List.of(group("rnd", "alice")),
            List.of(policy("rnd", "rnd", "2", "2")),
            List.of(queue("pairs", "rnd", "pair", 1))));
    for (String name : List.of("n-0", "n-1")) {
      installation.neighbours.register(node(name, "onprem", 1));
    }
    installation.start().awaitReady("pairs");
    alice = installation.alice();
    first = installation.agent("n-0").connect().slowToStart();
    second = installation.agent("n-1").connect().slowToStart();
    submit(alice, submit("pairs", "g"));
    assertThat(first.awaitAssign("g").getStartBarrier()).isTrue();
    assertThat(second.awaitAssign("g").getStartBarrier()).isTrue();
  }

  @AfterEach
  void stop() {
    installation.close();
  }

  private static void prepared(FakeAgent agent) {
    Assign assign = agent.awaitAssign("g");
    prepared(agent, assign.getWorker(), assign.getAttempt());
  }

  private static void prepared(FakeAgent agent, int worker, int attempt) {
    agent.report(
        "g",
        report ->
            report
                .setWorkerAddress(address(worker, attempt))
                .setMasterPort(worker == 0 ? PORT : 0));
    agent.awaitAcknowledged();
  }

  private static String address(int worker, int attempt) {
    return "10.0.%d.%d".formatted(attempt, worker);
  }

  private static List<Go> gos(FakeAgent agent) {
    return agent.heard().stream()
        .filter(ConnectResponse::hasGo)
        .map(ConnectResponse::getGo)
        .toList();
  }

  private static Go awaitGo(FakeAgent agent) {
    FakeAgent.awaitThat(() -> !gos(agent).isEmpty());
    return gos(agent).getLast();
  }

  private void takeOver() {
    installation.kill();
    installation.start().awaitReady("pairs");
    first.connect();
    second.connect();
  }

  private void run() {
    first.running("g");
    second.running("g");
    awaitState(alice, "g", Job.State.STATE_RUNNING);
  }

  private void assertBegunOnce() {
    assertThat(get(alice, "g").getAttempt()).isEqualTo(1);
    assertThat(first.begun()).containsExactly(Map.entry("g#1", 1));
    assertThat(second.begun()).containsExactly(Map.entry("g#1", 1));
  }

  @Test
  void aNewLeaderKnowsWhoWaits() {
    int worker = second.awaitAssign("g").getWorker();
    prepared(first);

    takeOver();

    assertThat(gos(first)).as("one worker is not prepared yet").isEmpty();
    prepared(second, worker, 1);
    for (FakeAgent agent : List.of(first, second)) {
      Go go = awaitGo(agent);
      assertThat(go.getLeadership().getEpoch()).isEqualTo(2);
      assertThat(go.getHostsList()).containsExactly(address(0, 1), address(1, 1));
      assertThat(go.getMasterPort()).isEqualTo(PORT);
    }
    run();
    assertBegunOnce();
  }

  /// The leader dies after one program has started. The agent of the other was killed before it
  /// could obey.
  @Test
  void aNewLeaderTellsTheWorkerThatStillWaits() {
    prepared(first);
    prepared(second);
    awaitGo(first);
    awaitGo(second);
    first.running("g");
    first.awaitAcknowledged();

    takeOver();

    assertThat(awaitGo(second).getHostsList()).containsExactly(address(0, 1), address(1, 1));
    run();
    assertThat(gos(first)).as("it runs already").isEmpty();
    assertBegunOnce();
  }

  /// The second worker is prepared while it is being stopped.
  @Test
  void aCancelledGangIsNotToldToStart() {
    prepared(first);
    second.slowToStop();

    alice.cancelJob(CancelJobRequest.newBuilder().setName(ACME + "/jobs/g").build());
    first.awaitStop("g");
    second.awaitStop("g");
    prepared(second);
    second.ends("g", EndReason.END_REASON_STOPPED);

    Job cancelled = awaitState(alice, "g", Job.State.STATE_CANCELLED);
    assertThat(cancelled.getAttempts(0).hasStartTime()).isFalse();
    assertThat(gos(first)).isEmpty();
    assertThat(gos(second)).isEmpty();
  }

  /// A user cancels, and the leader dies before the second machine has stopped its worker.
  @Test
  void aNewLeaderStartsNoCancelledGang() {
    int worker = second.awaitAssign("g").getWorker();
    prepared(first);
    second.slowToStop();
    alice.cancelJob(CancelJobRequest.newBuilder().setName(ACME + "/jobs/g").build());
    second.awaitStop("g");
    first.awaitAcknowledged();

    takeOver();

    second.awaitStop("g");
    prepared(second, worker, 1);
    second.ends("g", EndReason.END_REASON_STOPPED);
    awaitState(alice, "g", Job.State.STATE_CANCELLED);
    assertThat(gos(first)).isEmpty();
    assertThat(gos(second)).isEmpty();
  }

  /// One machine is rebooted. The next attempt has addresses of its own.
  @Test
  void theNextAttemptWaitsAtABarrierOfItsOwn() {
    prepared(first);
    second.disconnect();
    second.rebooted().connect();
    FakeAgent.awaitThat(() -> {
      first.heartbeat();
      second.heartbeat();
      return first.ledger().containsKey("g")
          && second.ledger().containsKey("g")
          && first.ledger().get("g").getAttempt() == 2
          && second.ledger().get("g").getAttempt() == 2;
    });
    prepared(first);
    assertThat(gos(first)).as("the other worker of this attempt is not prepared").isEmpty();
    prepared(second);

    for (FakeAgent agent : List.of(first, second)) {
      Go go = awaitGo(agent);
      assertThat(go.getAttempt()).isEqualTo(2);
      assertThat(go.getHostsList()).containsExactly(address(0, 2), address(1, 2));
    }
    run();
    assertThat(first.begun()).containsExactlyInAnyOrderEntriesOf(Map.of("g#1", 1, "g#2", 1));
  }
}
