package io.headgate.scheduler;

import static io.headgate.scheduler.Fixtures.access;
import static io.headgate.scheduler.Fixtures.group;
import static io.headgate.scheduler.Fixtures.node;
import static io.headgate.scheduler.Fixtures.policy;
import static io.headgate.scheduler.Fixtures.pool;
import static io.headgate.scheduler.Fixtures.profile;
import static io.headgate.scheduler.Fixtures.queue;
import static io.headgate.scheduler.Fixtures.resources;
import static io.headgate.scheduler.Fixtures.submit;
import static io.headgate.scheduler.Installation.get;
import static io.headgate.scheduler.Installation.submit;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Duration;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.proto.agent.v1.AttemptReport.EndReason;
import io.headgate.proto.agent.v1.AttemptReport.State;
import io.headgate.proto.scheduler.v1.Attempt;
import io.headgate.proto.scheduler.v1.Job;
import io.headgate.proto.scheduler.v1.JobServiceGrpc.JobServiceBlockingStub;
import io.headgate.proto.scheduler.v1.ListPolicyUsagesRequest;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// A gang of two, on two machines of one GPU each, of which one dies between the decision and the
/// launch.
final class GangFaultTest {
  @RegisterExtension static final PostgresFixture POSTGRES = PostgresFixture.of("scheduler");

  private Installation installation;
  private JobServiceBlockingStub alice;
  private FakeAgent well;
  private FakeAgent ill;

  @BeforeEach
  void start() {
    installation =
        new Installation(POSTGRES.fresh(), config -> config.with(Installation.SUSPICIOUS));
    installation.neighbours.provision(
        resources(
            List.of(pool("onprem")),
            List.of(profile("pair", "1", "onprem").toBuilder().setWorkers(2).build())));
    installation.neighbours.grant(
        access(
            List.of(group("rnd", "alice")),
            List.of(
                policy("brief", "rnd", "2", "2").toBuilder()
                    .setStopAfter(Duration.newBuilder().setSeconds(1))
                    .build()),
            List.of(queue("pairs", "brief", "pair", 1))));
    for (String name : List.of("n-0", "n-1", "n-2")) {
      installation.neighbours.register(node(name, "onprem", 1));
    }
    installation.start().awaitReady("pairs");
    alice = installation.alice();
    well = installation.agent("n-0").connect();
    // Its assignments are lost before they reach its disk.
    ill = installation.agent("n-1").connect().deaf();
  }

  @AfterEach
  void stop() {
    installation.close();
  }

  /// One worker runs, of the other nothing is known.
  private void begin() {
    submit(alice, submit("pairs", "g"));
    well.awaitAssign("g");
    FakeAgent.awaitThat(() -> {
      well.heartbeat();
      return well.unacknowledged().isEmpty();
    });
    assertThat(get(alice, "g").getState()).isEqualTo(Job.State.STATE_ASSIGNED);
  }

  private String used() {
    return installation
        .usage(installation.tokens.member("acme", "alice"))
        .listPolicyUsages(ListPolicyUsagesRequest.newBuilder().setParent(Fixtures.ACME).build())
        .getUsages(0)
        .getUsed();
  }

  @Test
  void startsTheRestOfItWhenTheAgentComesBack() {
    begin();
    ill.disconnect();
    ill.hearing().restarted().connect();
    ill.awaitAssign("g");
    FakeAgent.awaitThat(() -> {
      well.heartbeat();
      ill.heartbeat();
      return get(alice, "g").getState() == Job.State.STATE_RUNNING;
    });
    assertThat(get(alice, "g").getAttempt()).isEqualTo(1);
    assertThat(well.begun()).containsExactly(Map.entry("g#1", 1));
    assertThat(ill.begun()).containsExactly(Map.entry("g#1", 1));
    assertThat(well.stops()).isEmpty();
  }

  @Test
  void givesUpAllOfItWhenTheMachineIsGone() {
    begin();
    ill.disconnect();
    FakeAgent spare = installation.agent("n-2").connect();
    FakeAgent.awaitThat(() -> {
      well.heartbeat();
      spare.heartbeat();
      Job job = get(alice, "g");
      return job.getAttempt() == 2 && job.getState() == Job.State.STATE_RUNNING;
    });
    assertThat(well.stops()).as("its other worker was stopped").hasSize(1);
    assertThat(get(alice, "g").getAttempts(0).getOutcome()).isEqualTo(Attempt.Outcome.OUTCOME_LOST);
    assertThat(well.begun()).containsOnlyKeys("g#1", "g#2");
    assertThat(spare.begun()).containsOnlyKeys("g#2");
    assertThat(used()).isEqualTo("2");
  }

  @Test
  void stopsAllOfItWhenOneLaunchFails() {
    ill.hearing().slowToStart();
    begin();
    ill.awaitAssign("g");
    ill.report(
        "g",
        report ->
            report
                .setState(State.STATE_ENDED)
                .setEndReason(EndReason.END_REASON_START_FAILED)
                .setError("no such program"));
    well.awaitStop("g");
    FakeAgent.awaitThat(() -> {
      well.heartbeat();
      ill.heartbeat();
      return get(alice, "g").getState() == Job.State.STATE_FAILED;
    });
    assertThat(used()).isEqualTo("0");
  }
}
