package io.headgate.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.headgate.agent.driver.nvml.FakeGpus;
import io.headgate.agent.driver.nvml.FakeGpus.Version;
import io.headgate.kit.config.Secret;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.time.TimeSource;
import io.headgate.proto.agent.v1.AttemptReport;
import io.headgate.proto.agent.v1.AttemptReport.EndReason;
import io.headgate.proto.agent.v1.AttemptReport.State;
import io.headgate.proto.type.v1.DeviceCondition;
import io.headgate.proto.type.v1.DeviceHealth;
import io.headgate.proto.type.v1.DeviceRemedy;
import io.headgate.proto.type.v1.SlicePlacement;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A whole agent on a machine with two GPUs of which one gets sick: what it tells, and what becomes
/// of the jobs.
class NodeAgentHealthTest {
  private static final Duration OFTEN = Duration.ofMillis(200);

  /// So that only what the GPU reports by itself, or a job's end, leads to a reading.
  private static final Duration NEVER = Duration.ofDays(1);

  private static final String SLEEP = "trap 'exit 0' TERM; sleep 1000 & wait";

  @TempDir Path root;
  private final FakeControlPlane plane = new FakeControlPlane();
  private Optional<NodeAgent> agent = Optional.empty();

  @AfterEach
  void stop() {
    agent.ifPresent(running -> running.stopJobsAndClose(FakeControlPlane.PATIENCE));
    plane.close();
  }

  private FakeGpus machine(boolean mig, Duration interval) {
    FakeGpus gpus = FakeGpus.in(root, Version.V580).with(mig).with(false);
    start(gpus, interval);
    return gpus;
  }

  private void start(FakeGpus gpus, Duration interval) {
    int before = plane.hellos.size();
    NodeAgent started =
        new NodeAgent(
            AgentConfig.of(root.resolve("n1"), "n1", plane.uri())
                .withJoinToken(Secret.of(FakeControlPlane.JOIN_TOKEN))
                .withGpus(
                    new GpuConfig(
                        GpuConfig.Driver.NVML,
                        new GpuConfig.Nvml(gpus.library().toString(), FakeControlPlane.PATIENCE),
                        GpuConfig.Rocm.DEFAULTS,
                        GpuConfig.Mig.DEFAULTS,
                        GpuConfig.Mps.DEFAULTS,
                        GpuConfig.Watchdog.DEFAULTS,
                        new GpuConfig.Health(interval, false))),
            Telemetry.disabled(),
            TimeSource.system());
    agent = Optional.of(started);
    started.start();
    await()
        .atMost(FakeControlPlane.PATIENCE)
        .until(() -> started.isReady() && plane.hellos.size() > before);
  }

  private DeviceCondition condition(int device) {
    return plane.registrations.getLast().getDevices(device).getCondition();
  }

  private DeviceCondition awaitHealth(int device, DeviceHealth health) {
    await().atMost(FakeControlPlane.PATIENCE).until(() -> condition(device).getHealth() == health);
    return condition(device);
  }

  private void run(String job, int device, String script) {
    plane.send(
        Orders.message(
            Orders.assign(plane.leadership, job, script)
                .addSlices(Orders.slice(plane.registrations.getLast(), device, "1"))));
  }

  /// Its slice stays the job's, the node says why, and no other job gets it, until a later look
  /// finds the memory free again.
  @Test
  void aGpuWhoseMemoryIsNotBackAfterAJobIsGivenToNoOther() throws Exception {
    FakeGpus gpus = machine(false, FakeControlPlane.PATIENCE);
    run("a", 0, "while [ ! -e $HEADGATE_CHECKPOINT_DIR/go ]; do sleep 0.05; done");
    plane.awaitState("a", State.STATE_RUNNING);
    gpus.remains(0, 2 * FakeGpus.GIB);
    Files.createFile(root.resolve("n1/checkpoints/acme/a/go"));

    assertThat(awaitHealth(0, DeviceHealth.DEVICE_HEALTH_DEGRADED).getCause())
        .contains("a slice cannot be removed", "2048 MiB more than before the job");
    run("b", 0, "true");
    assertThat(plane.awaitEnd("b").getEndReason()).isEqualTo(EndReason.END_REASON_REJECTED);
    assertThat(plane.reportsOf("a"))
        .extracting(AttemptReport::getState)
        .doesNotContain(State.STATE_ENDED);

    gpus.remains(0, 0);
    assertThat(plane.awaitEnd("a").getExitCode()).isZero();
    awaitHealth(0, DeviceHealth.DEVICE_HEALTH_HEALTHY);
    run("c", 0, "true");
    assertThat(plane.awaitEnd("c").getExitCode()).isZero();
  }

  private void runSeventh(String job, String script) {
    plane.send(
        Orders.message(
            Orders.assign(plane.leadership, job, script)
                .addSlices(
                    Orders.slice(plane.registrations.getLast(), 0, "1/7")
                        .setPlacement(
                            SlicePlacement.newBuilder()
                                .setProfile("1g.10gb")
                                .setStart(6)
                                .setSize(1)))));
  }

  private void awaitSubscribed(FakeGpus gpus) {
    // Like a driver, the fake drops events until the agent has registered for them.
    await()
        .atMost(FakeControlPlane.PATIENCE)
        .until(() -> {
          gpus.xid(1, 63);
          return condition(1).getHealth() == DeviceHealth.DEVICE_HEALTH_DEGRADED;
        });
    await().atMost(FakeControlPlane.PATIENCE).until(gpus::isHeard);
  }

  @Test
  void endsTheJobOfAGpuThatIsLostForTheMachinesFaultAndTakesItBackWhenItIsWellAgain() {
    FakeGpus gpus = machine(false, OFTEN);
    assertThat(condition(0).getHealth()).isEqualTo(DeviceHealth.DEVICE_HEALTH_HEALTHY);
    run("a", 0, SLEEP);
    run("b", 1, SLEEP);
    plane.awaitState("a", State.STATE_RUNNING);
    plane.awaitState("b", State.STATE_RUNNING);
    gpus.isLost(0);
    AttemptReport end = plane.awaitEnd("a");
    DeviceCondition lost = awaitHealth(0, DeviceHealth.DEVICE_HEALTH_UNHEALTHY);

    assertThat(end.getEndReason()).isEqualTo(EndReason.END_REASON_DEVICE_FAILED);
    assertThat(end.getError())
        .startsWith("its GPU " + FakeGpus.uuid(0) + " failed: its driver has lost it (");
    assertThat(lost.getCause()).startsWith("its driver has lost it (").contains("GPU is lost");
    assertThat(lost.getRemedy()).isEqualTo(DeviceRemedy.DEVICE_REMEDY_RESTART_MACHINE);
    assertThat(condition(1).getHealth()).isEqualTo(DeviceHealth.DEVICE_HEALTH_HEALTHY);
    run("c", 0, SLEEP);
    AttemptReport refused = plane.awaitEnd("c");
    assertThat(refused.getEndReason()).isEqualTo(EndReason.END_REASON_REJECTED);
    assertThat(refused.getError()).contains("is unhealthy: its driver has lost it");
    assertThat(plane.reportsOf("b"))
        .extracting(AttemptReport::getState)
        .containsExactly(State.STATE_RUNNING);

    agent.orElseThrow().close();
    gpus.isBack(0);
    start(gpus, OFTEN);
    awaitHealth(0, DeviceHealth.DEVICE_HEALTH_HEALTHY);
    run("d", 0, SLEEP);
    plane.awaitState("d", State.STATE_RUNNING);
  }

  @Test
  void hearsThatAGpuFellOffTheBusAndFreesWhatItsDriverCannot() {
    FakeGpus gpus = machine(true, NEVER);
    awaitSubscribed(gpus);
    runSeventh("a", SLEEP);
    plane.awaitState("a", State.STATE_RUNNING);
    gpus.isLost(0);
    gpus.xid(0, 79);
    AttemptReport end = plane.awaitEnd("a");
    assertThat(end.getEndReason()).isEqualTo(EndReason.END_REASON_DEVICE_FAILED);
    assertThat(end.getError()).contains("it has fallen off the bus (XID 79)");
    await()
        .atMost(FakeControlPlane.PATIENCE)
        .until(() -> condition(0).getCause().contains("its driver has lost it"));
    assertThat(condition(0).getCause()).contains("it has fallen off the bus (XID 79)");
  }

  @Test
  void blamesALostGpuAndNotTheJobThatItTookDown() throws Exception {
    FakeGpus gpus = machine(false, NEVER);
    run(
        "a",
        0,
        "echo started; while [ ! -e $HEADGATE_CHECKPOINT_DIR/go ]; do sleep 0.05; done; exit 3");
    plane.awaitState("a", State.STATE_RUNNING);
    gpus.isLost(0);
    Files.writeString(root.resolve("n1/checkpoints/acme/a/go"), "");
    AttemptReport end = plane.awaitEnd("a");
    assertThat(end.getEndReason()).isEqualTo(EndReason.END_REASON_DEVICE_FAILED);
    assertThat(end.getExitCode()).isEqualTo(3);
    awaitHealth(0, DeviceHealth.DEVICE_HEALTH_UNHEALTHY);
  }

  @Test
  void holdsTheErrorOfAProgramAgainstTheJobAlone() throws Exception {
    FakeGpus gpus = machine(false, OFTEN);
    awaitSubscribed(gpus);
    run("a", 0, "while [ ! -e $HEADGATE_CHECKPOINT_DIR/go ]; do sleep 0.05; done; exit 3");
    run("b", 1, SLEEP);
    plane.awaitState("a", State.STATE_RUNNING);
    plane.awaitState("b", State.STATE_RUNNING);
    gpus.xid(0, 31);
    await().atMost(FakeControlPlane.PATIENCE).until(gpus::isHeard);
    Files.writeString(root.resolve("n1/checkpoints/acme/a/go"), "");
    AttemptReport end = plane.awaitEnd("a");
    assertThat(end.getEndReason()).isEqualTo(EndReason.END_REASON_EXITED);
    assertThat(end.getExitCode()).isEqualTo(3);
    assertThat(condition(0).getHealth()).isEqualTo(DeviceHealth.DEVICE_HEALTH_HEALTHY);

    gpus.xid(1, 94);
    await()
        .atMost(FakeControlPlane.PATIENCE)
        .until(() -> condition(1).getCause().contains("contained to one job (XID 94)"));
    assertThat(condition(1).getHealth()).isEqualTo(DeviceHealth.DEVICE_HEALTH_DEGRADED);
    gpus.xid(1, 48);
    awaitHealth(1, DeviceHealth.DEVICE_HEALTH_UNHEALTHY);
    assertThat(plane.reportsOf("b"))
        .as("it goes on where it can")
        .extracting(AttemptReport::getState)
        .containsExactly(State.STATE_RUNNING);
  }

  @Test
  void saysThatASliceCannotBeRemovedAndThatItWas() {
    FakeGpus gpus = machine(true, NEVER);
    runSeventh("a", "exit 0");
    gpus.fault("nvmlGpuInstanceDestroy", 19, 8);
    await()
        .atMost(FakeControlPlane.PATIENCE)
        .until(() ->
            plane.registrations.stream()
                .map(node -> node.getDevices(0).getCondition())
                .anyMatch(condition ->
                    condition.getHealth() == DeviceHealth.DEVICE_HEALTH_DEGRADED
                        && condition.getCause().startsWith("a slice cannot be removed: ")
                        && condition.getCause().contains("In use by another client")));
    plane.awaitEnd("a");
    awaitHealth(0, DeviceHealth.DEVICE_HEALTH_HEALTHY);
  }

  @Test
  void givesAGpuUpThatRefusesOneSliceAfterTheOther() {
    FakeGpus gpus = machine(true, NEVER);
    gpus.fault("nvmlDeviceCreateGpuInstanceWithPlacement", 999, 3);
    for (String job : List.of("a", "b", "c")) {
      runSeventh(job, SLEEP);
      assertThat(plane.awaitEnd(job).getEndReason()).isEqualTo(EndReason.END_REASON_REJECTED);
    }
    DeviceCondition condition = awaitHealth(0, DeviceHealth.DEVICE_HEALTH_UNHEALTHY);
    assertThat(condition.getCause())
        .startsWith("a slice could not be made on it, 3 times in a row: ")
        .contains("nvmlDeviceCreateGpuInstanceWithPlacement: Unknown Error (999)");
    assertThat(condition.getRemedy()).isEqualTo(DeviceRemedy.DEVICE_REMEDY_INSPECT);
  }
}
