package io.headgate.scheduler;

import static io.headgate.scheduler.Fixtures.ACME;
import static io.headgate.scheduler.Fixtures.submit;
import static io.headgate.scheduler.Installation.awaitState;
import static io.headgate.scheduler.Installation.get;
import static io.headgate.scheduler.Installation.submit;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.kit.testing.PostgresFixture;
import io.headgate.proto.agent.v1.AttemptReport.EndReason;
import io.headgate.proto.pool.v1.Node;
import io.headgate.proto.scheduler.v1.Attempt;
import io.headgate.proto.scheduler.v1.Event;
import io.headgate.proto.scheduler.v1.Job;
import io.headgate.proto.scheduler.v1.JobServiceGrpc.JobServiceBlockingStub;
import io.headgate.proto.scheduler.v1.ListEventsRequest;
import io.headgate.proto.type.v1.DeviceCondition;
import io.headgate.proto.type.v1.DeviceHealth;
import io.headgate.proto.type.v1.DeviceRemedy;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// A live machine one of whose devices fails: its events, and the fate of the job on it.
final class SickDeviceEventsTest {
  @RegisterExtension static final PostgresFixture POSTGRES = PostgresFixture.of("scheduler");

  private Installation installation;
  private JobServiceBlockingStub alice;
  private FakeAgent agent;

  @BeforeEach
  void start() {
    installation = new Installation(POSTGRES.fresh());
    installation.neighbours.provision(
        Fixtures.resources(
            List.of(Fixtures.pool("onprem")), List.of(Fixtures.profile("one", "1", "onprem"))));
    installation.neighbours.grant(
        Fixtures.access(
            List.of(Fixtures.group("rnd", "alice")),
            List.of(Fixtures.policy("rnd", "rnd", "2", "2")),
            List.of(Fixtures.queue("rnd-one", "rnd", "one", 1))));
    installation.neighbours.register(Fixtures.node("m-0", "onprem", 2));
    installation.start().awaitReady("rnd-one");
    alice = installation.alice();
    agent = installation.agent("m-0").connect();
  }

  @AfterEach
  void stop() {
    installation.close();
  }

  private static Node machine(int device, DeviceHealth health, String cause, DeviceRemedy remedy) {
    Node.Builder node = Fixtures.node("m-0", "onprem", 2).toBuilder();
    node.getDevicesBuilder(device)
        .setCondition(
            DeviceCondition.newBuilder().setHealth(health).setCause(cause).setRemedy(remedy));
    return node.build();
  }

  private List<Event> deviceEvents() {
    return alice
        .listEvents(ListEventsRequest.newBuilder().setParent(ACME).build())
        .getEventsList()
        .stream()
        .filter(event -> event.getType() == Event.Type.TYPE_DEVICE_CHANGED)
        .toList();
  }

  private Event awaitEvent(int number) {
    FakeAgent.awaitThat(() -> deviceEvents().size() == number);
    // The newest first.
    return deviceEvents().getFirst();
  }

  @Test
  void tellsOfADeviceThatFailsAndRunsItsJobElsewhere() {
    submit(alice, submit("rnd-one", "a"));
    awaitState(alice, "a", Job.State.STATE_RUNNING);
    int device = get(alice, "a").getAttempts(0).getPlacements(0).getSlices(0).getDeviceIndex();
    installation.neighbours.register(
        machine(
            device,
            DeviceHealth.DEVICE_HEALTH_UNHEALTHY,
            "it has fallen off the bus (XID 79)",
            DeviceRemedy.DEVICE_REMEDY_RESTART_MACHINE));
    Event event = awaitEvent(1);
    String uuid = "SIM-m-0-" + device;
    assertThat(event.getNode()).isEqualTo("m-0");
    assertThat(event.getMessage())
        .isEqualTo(
            "GPU %d (%s) of m-0 is unhealthy, and gets no new work: it has fallen off the bus (XID 79) (restart the machine)"
                .formatted(device, uuid));
    assertThat(event.getDetailMap())
        .isEqualTo(
            Map.of(
                "device",
                Integer.toString(device),
                "uuid",
                uuid,
                "health",
                "unhealthy",
                "cause",
                "it has fallen off the bus (XID 79)",
                "remedy",
                "restart the machine"));
    assertThat(get(alice, "a").getState())
        .as("until its machine says")
        .isEqualTo(Job.State.STATE_RUNNING);

    agent.ends("a", EndReason.END_REASON_DEVICE_FAILED);
    FakeAgent.awaitThat(() -> get(alice, "a").getAttempt() == 2);
    Job again = awaitState(alice, "a", Job.State.STATE_RUNNING);
    assertThat(again.getAttempts(0).getOutcome()).isEqualTo(Attempt.Outcome.OUTCOME_LOST);
    assertThat(again.getAttempts(1).getPlacements(0).getSlices(0).getDeviceIndex())
        .isEqualTo(1 - device);
    submit(alice, submit("rnd-one", "b"));
    awaitState(alice, "b", Job.State.STATE_WAITING);

    installation.neighbours.register(Fixtures.node("m-0", "onprem", 2));
    assertThat(awaitEvent(2).getMessage())
        .isEqualTo("GPU %d (%s) of m-0 is healthy again".formatted(device, uuid));
    awaitState(alice, "b", Job.State.STATE_RUNNING);
  }

  @Test
  void believesAnAgentBeforeTheInventorySaysSo() {
    long said = agent.heartbeat(List.of("SIM-m-0-0"));
    FakeAgent.awaitThat(() -> agent.has(heard -> heard.getHeartbeatReply().getNumber() == said));
    submit(alice, submit("rnd-one", "a"));
    submit(alice, submit("rnd-one", "b"));
    awaitState(alice, "a", Job.State.STATE_RUNNING);
    awaitState(alice, "b", Job.State.STATE_WAITING);
    agent.heartbeat();
    awaitState(alice, "b", Job.State.STATE_RUNNING);
    assertThat(deviceEvents()).isEmpty();
    assertThat(get(alice, "a").getAttempts(0).getPlacements(0).getSlices(0).getDeviceIndex())
        .isEqualTo(1);
  }

  @Test
  void usesADegradedDeviceOnAndSaysWhatIsWrong() {
    installation.neighbours.register(
        machine(
            1,
            DeviceHealth.DEVICE_HEALTH_DEGRADED,
            "it is slowed down: it is too hot",
            DeviceRemedy.DEVICE_REMEDY_INSPECT));
    assertThat(awaitEvent(1).getMessage())
        .isEqualTo(
            "GPU 1 (SIM-m-0-1) of m-0 is degraded, but still used: it is slowed down: it is too hot (inspect the device)");
    submit(alice, submit("rnd-one", "a"));
    submit(alice, submit("rnd-one", "b"));
    awaitState(alice, "a", Job.State.STATE_RUNNING);
    awaitState(alice, "b", Job.State.STATE_RUNNING);
  }
}
