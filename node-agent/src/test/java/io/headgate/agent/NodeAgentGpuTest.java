package io.headgate.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.util.Durations;
import io.headgate.agent.driver.nvml.FakeGpus;
import io.headgate.agent.driver.nvml.FakeGpus.Version;
import io.headgate.agent.driver.rocm.FakeAmdGpus;
import io.headgate.kit.config.Secret;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.time.TimeSource;
import io.headgate.proto.agent.v1.Assign;
import io.headgate.proto.agent.v1.AttemptReport;
import io.headgate.proto.agent.v1.AttemptReport.EndReason;
import io.headgate.proto.agent.v1.AttemptReport.State;
import io.headgate.proto.agent.v1.SliceGrant;
import io.headgate.proto.agent.v1.Stop;
import io.headgate.proto.pool.v1.Device;
import io.headgate.proto.pool.v1.Node;
import io.headgate.proto.type.v1.DeviceGeometry;
import io.headgate.proto.type.v1.IsolationLevel;
import io.headgate.proto.type.v1.SlicePlacement;
import io.headgate.proto.type.v1.SliceProfile;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.metrics.SdkMeterProvider;
import io.opentelemetry.sdk.testing.exporter.InMemoryMetricReader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A whole agent with NVIDIA's library, which stands in for GPUs that do not exist.
class NodeAgentGpuTest {
  private static final Logger LOG = LoggerFactory.getLogger(NodeAgentGpuTest.class);

  @TempDir Path root;
  private final InMemoryMetricReader metrics = InMemoryMetricReader.create();
  private final FakeControlPlane plane = new FakeControlPlane();
  private Optional<NodeAgent> agent = Optional.empty();

  @AfterEach
  void stop() {
    agent.ifPresent(running -> running.stopJobsAndClose(FakeControlPlane.PATIENCE));
    plane.close();
  }

  private AgentConfig config(Path library, GpuConfig.Driver driver) {
    return config(library, driver, GpuConfig.Mig.Mode.KEEP);
  }

  private AgentConfig config(Path library, GpuConfig.Driver driver, GpuConfig.Mig.Mode mig) {
    return AgentConfig.of(root.resolve("n1"), "n1", plane.uri())
        .withJoinToken(Secret.of(FakeControlPlane.JOIN_TOKEN))
        .withGpus(
            new GpuConfig(
                driver,
                new GpuConfig.Nvml(library.toString(), FakeControlPlane.PATIENCE),
                GpuConfig.Rocm.DEFAULTS,
                new GpuConfig.Mig(mig, GpuConfig.Mig.Strangers.KEEP),
                GpuConfig.Mps.DEFAULTS,
                GpuConfig.Watchdog.DEFAULTS,
                GpuConfig.Health.DEFAULTS));
  }

  private void start(AgentConfig config) {
    int before = plane.hellos.size();
    OpenTelemetrySdk sdk =
        OpenTelemetrySdk.builder()
            .setMeterProvider(SdkMeterProvider.builder().registerMetricReader(metrics).build())
            .build();
    NodeAgent started = new NodeAgent(config, Telemetry.of(sdk), TimeSource.system());
    agent = Optional.of(started);
    started.start();
    await()
        .atMost(FakeControlPlane.PATIENCE)
        .until(() -> started.isReady() && plane.hellos.size() > before);
  }

  private Node node() {
    return plane.registrations.getLast();
  }

  private Assign.Builder job(String job, String script, SliceGrant.Builder... slices) {
    Assign.Builder assign = Orders.assign(plane.leadership, job, script);
    for (SliceGrant.Builder slice : slices) {
      assign.addSlices(slice);
    }
    return assign.setMinimumIsolation(IsolationLevel.ISOLATION_LEVEL_HARDWARE);
  }

  private SliceGrant.Builder mig(String gpus, String profile, int start, int size) {
    return Orders.slice(node(), 0, gpus)
        .setPlacement(
            SlicePlacement.newBuilder().setProfile(profile).setStart(start).setSize(size));
  }

  /// The output of a job, once it ends with a newline.
  private String output(String job) throws Exception {
    Path log = root.resolve("n1/attempts/acme." + job + ".1.0/logs/stdout.0");
    await()
        .atMost(FakeControlPlane.PATIENCE)
        .until(() -> Files.exists(log) && Files.readString(log).endsWith("\n"));
    return Files.readString(log).strip();
  }

  /// The processes of a job that has printed a line, by the machine's numbers.
  private List<Long> processes(String job, int number) throws Exception {
    assertThat(output(job)).isEqualTo("up");
    String mark = "HEADGATE_CHECKPOINT_DIR=" + root.resolve("n1/checkpoints/acme").resolve(job);
    await().atMost(FakeControlPlane.PATIENCE).until(() -> Processes.ofJob(mark).size() == number);
    return Processes.ofJob(mark);
  }

  @Test
  void givesEachJobAnInstanceOfItsOwnAndLeavesNone() throws Exception {
    FakeGpus gpus = FakeGpus.in(root, Version.V615).with(true);
    start(config(gpus.library(), GpuConfig.Driver.NVML));
    assertThat(node().getDriver()).isEqualTo("nvml 615.71.09");
    assertThat(node().getSimulated()).isFalse();
    Device device = node().getDevices(0);
    assertThat(device.getGeometry()).isEqualTo(DeviceGeometry.DEVICE_GEOMETRY_MIG);
    assertThat(device.getIsolation()).isEqualTo(IsolationLevel.ISOLATION_LEVEL_HARDWARE);
    assertThat(device.getSlices().getProfilesList())
        .extracting(SliceProfile::getName)
        .contains("1g.10gb", "3g.40gb");
    String script = "echo $CUDA_VISIBLE_DEVICES $HEADGATE_GPU_MEMORY_LIMIT_BYTES; exec sleep 1000";
    plane.send(Orders.message(job("seventh", script, mig("1/7", "1g.10gb", 6, 1))));
    plane.send(Orders.message(job("half", script, mig("1/2", "3g.40gb", 0, 4))));
    plane.awaitState("seventh", State.STATE_RUNNING);
    plane.awaitState("half", State.STATE_RUNNING);

    assertThat(gpus.instances(0)).containsExactly("1g.10gb@6", "3g.40gb@0");
    List<String> seen = List.of(output("seventh"), output("half"));
    assertThat(seen.get(0)).matches("MIG-[0-9a-f-]+ " + (9984L << 20));
    assertThat(seen.get(1)).matches("MIG-[0-9a-f-]+ " + (40448L << 20));
    assertThat(seen)
        .extracting(line -> line.split(" ", -1)[0])
        .containsExactlyInAnyOrderElementsOf(gpus.migUuids(0));
    plane.send(Orders.stop(plane.leadership, "seventh", Stop.Kind.KIND_PREEMPT));
    plane.awaitEnd("seventh");
    assertThat(gpus.instances(0)).as("free means destroyed").containsExactly("3g.40gb@0");

    // Another agent finds what it left; what is destroyed late is free late.
    agent.orElseThrow().close();
    start(config(gpus.library(), GpuConfig.Driver.NVML));
    gpus.fault("nvmlGpuInstanceDestroy", 19, 3);
    plane.send(Orders.stop(plane.leadership, "half", Stop.Kind.KIND_CANCEL));
    plane.awaitEnd("half");
    assertThat(gpus.instances(0)).isEmpty();
    assertThat(gpus.calls().stream().filter(call -> call.startsWith("create"))).hasSize(4);
  }

  @Test
  void startsNothingBesideForeignProcessesAndLeavesThemAlone() {
    FakeGpus gpus = FakeGpus.in(root, Version.V580).with(true);
    start(config(gpus.library(), GpuConfig.Driver.AUTO));
    gpus.instance(0, 19, 6, 1);
    plane.send(Orders.message(job("late", "true", mig("1/7", "1g.10gb", 6, 1))));
    AttemptReport end = plane.awaitEnd("late");

    assertThat(end.getEndReason()).isEqualTo(EndReason.END_REASON_REJECTED);
    assertThat(end.getError())
        .contains("the place 1g.10gb@6 of GPU 0 (GPU-")
        .contains("is taken by 1g.10gb@6 (GPU instance 1)");
    assertThat(gpus.instances(0)).containsExactly("1g.10gb@6 alone");
  }

  @Test
  void givesTheGpusOfBothMakersOfOneMachine() throws Exception {
    FakeGpus nvidias = FakeGpus.in(root, Version.V580).with(false);
    FakeAmdGpus amds = FakeAmdGpus.in(Files.createDirectories(root.resolve("amd"))).withMi300x();
    GpuConfig both =
        new GpuConfig(
            GpuConfig.Driver.AUTO,
            new GpuConfig.Nvml(nvidias.library().toString(), FakeControlPlane.PATIENCE),
            new GpuConfig.Rocm(
                List.of(amds.library().toString()),
                FakeControlPlane.PATIENCE,
                amds.sysfs(),
                GpuConfig.Rocm.Dmem.OFF),
            GpuConfig.Mig.DEFAULTS,
            GpuConfig.Mps.DEFAULTS,
            GpuConfig.Watchdog.DEFAULTS,
            GpuConfig.Health.DEFAULTS);
    start(config(nvidias.library(), GpuConfig.Driver.AUTO).withGpus(both));
    assertThat(node().getDriver()).isEqualTo("nvml 580.95.05, rocm 7.8.0");
    assertThat(node().getDevicesList())
        .extracting(device -> device.getIndex() + " " + device.getGpuModel())
        .containsExactly("0 H100", "1 MI300X");

    String tell = "echo $CUDA_VISIBLE_DEVICES,$NVIDIA_VISIBLE_DEVICES,$ROCR_VISIBLE_DEVICES";
    String nvidia = FakeGpus.uuid(0);
    plane.send(Orders.message(job("green", tell, Orders.slice(node(), 0, "1"))));
    assertThat(output("green")).isEqualTo(nvidia + "," + nvidia + ",-1");
    plane.send(
        Orders.message(
            job(
                "red",
                tell,
                Orders.slice(node(), 1, "1/8")
                    .setPlacement(
                        SlicePlacement.newBuilder().setProfile("CPX").setStart(7).setSize(1)))));
    assertThat(output("red")).startsWith(",void,").doesNotEndWith("-1");
    assertThat(plane.awaitEnd("red").getEndReason()).isEqualTo(EndReason.END_REASON_EXITED);

    plane.send(
        Orders.message(
            Orders.assign(plane.leadership, "both", tell)
                .addSlices(Orders.slice(node(), 0, "1"))
                .addSlices(
                    Orders.slice(node(), 1, "1/8")
                        .setPlacement(
                            SlicePlacement.newBuilder()
                                .setProfile("CPX")
                                .setStart(0)
                                .setSize(1)))));
    assertThat(plane.awaitEnd("both").getError()).contains("its GPUs are of different makers");
  }

  @Test
  void stopsAJobWhoseProcessesHaveMoreThanItsPartTogether() throws Exception {
    FakeGpus gpus = FakeGpus.in(root, Version.V580).with(false);
    start(config(gpus.library(), GpuConfig.Driver.NVML));
    assertThat(node().getDevices(0).getIsolation())
        .isEqualTo(IsolationLevel.ISOLATION_LEVEL_REACTIVE);
    String processes = "sleep 1000 & echo up; while :; do wait; done";
    plane.send(
        Orders.message(
            Orders.withCallback(
                    // It does not go when it is asked to.
                    Orders.assign(plane.leadership, "greedy", "trap '' TERM; " + processes),
                    "echo $HEADGATE_STOP_REASON > $HEADGATE_CHECKPOINT_DIR/reason; exec sleep 9")
                .addSlices(Orders.slice(node(), 0, "1/2"))));
    plane.send(
        Orders.message(
            Orders.assign(plane.leadership, "modest", processes)
                .addSlices(Orders.slice(node(), 0, "1/2"))));
    List<Long> greedy = processes("greedy", 2);
    List<Long> modest = processes("modest", 2);
    long most = 79 * FakeGpus.GIB / 2;
    gpus.uses(0, greedy.get(1), most);
    gpus.uses(0, modest.get(1), most / 2);
    gpus.uses(0, modest.get(0), most / 2, "mps");
    assertThat(ProcessHandle.of(greedy.get(0))).isPresent();
    long begun = System.nanoTime();
    gpus.uses(0, greedy.get(0), 1 << 20, "graphics");
    await()
        .atMost(FakeControlPlane.PATIENCE)
        .pollInterval(Duration.ofMillis(5))
        .until(() -> ProcessHandle.of(greedy.get(0)).isEmpty());
    LOG.info("from the excess to the end of the job {} ms", (System.nanoTime() - begun) / 1000000);
    AttemptReport end = plane.awaitEnd("greedy");

    assertThat(end.getEndReason()).isEqualTo(EndReason.END_REASON_LIMIT_EXCEEDED);
    assertThat(end.getError())
        .isEqualTo(
            "it used 40449 MiB of the memory of %s, of which it has 40448 MiB"
                .formatted(FakeGpus.uuid(0)));
    assertThat(plane.reportsOf("greedy"))
        .extracting(report -> report.getStopPhase() + " " + report.getStopPhaseResult())
        .contains("callback timed-out", "term timed-out", "kill ok", "cleanup ok");
    assertThat(root.resolve("n1/checkpoints/acme/greedy/reason")).hasContent("over-limit\n");
    assertThat(
            metrics.collectAllMetrics().stream()
                .filter(metric -> metric.getName().equals("headgate.enforcement.actions"))
                .flatMap(metric -> metric.getLongSumData().getPoints().stream())
                .map(point -> point.getAttributes().get(AttributeKey.stringKey("headgate.action"))))
        .contains("excess_found", "stopped", "limit_exceeded");
    assertThat(plane.reportsOf("modest"))
        .extracting(AttemptReport::getState)
        .containsExactly(State.STATE_RUNNING);
  }

  @Test
  void dividesTheGpusThatNoJobHasAndTheOthersAtALaterStart() throws Exception {
    FakeGpus gpus = FakeGpus.in(root, Version.V615).with(false).with(false);
    start(config(gpus.library(), GpuConfig.Driver.NVML));
    plane.send(
        Orders.message(job("whole", "echo up; exec sleep 1000", Orders.slice(node(), 1, "1"))));
    assertThat(output("whole")).isEqualTo("up");
    AgentConfig auto = config(gpus.library(), GpuConfig.Driver.NVML, GpuConfig.Mig.Mode.AUTO);
    agent.orElseThrow().close();
    start(auto);
    assertThat(node().getDevicesList())
        .as("although no process of the job has used its GPU yet")
        .extracting(Device::getGeometry)
        .containsExactly(
            DeviceGeometry.DEVICE_GEOMETRY_MIG, DeviceGeometry.DEVICE_GEOMETRY_CONTINUOUS);
    plane.send(
        Orders.message(job("seventh", "echo $CUDA_VISIBLE_DEVICES", mig("1/7", "1g.10gb", 6, 1))));
    assertThat(output("seventh")).startsWith("MIG-");

    plane.send(Orders.stop(plane.leadership, "whole", Stop.Kind.KIND_CANCEL));
    plane.awaitEnd("whole");
    agent.orElseThrow().close();
    start(auto);
    assertThat(node().getDevicesList())
        .extracting(Device::getGeometry)
        .containsOnly(DeviceGeometry.DEVICE_GEOMETRY_MIG);
  }

  @Test
  void dividesItsGpusAsThePoolSaysUnlessTheNodeSaysOtherwise() {
    FakeGpus gpus = FakeGpus.in(root, Version.V615).with(false);
    plane.poolMigAuto = true;
    start(config(gpus.library(), GpuConfig.Driver.NVML, GpuConfig.Mig.Mode.KEEP));
    assertThat(agent.orElseThrow().renewal()).as("the node's own word").isNotDone();
    agent.orElseThrow().close();
    agent = Optional.empty();
    assertThat(gpus.migMode(0)).isEqualTo("0");

    AgentConfig asThePoolSays =
        config(gpus.library(), GpuConfig.Driver.NVML, GpuConfig.Mig.Mode.POOL);
    // The agent already knows the pool's setting from before.
    start(asThePoolSays);
    assertThat(node().getDevices(0).getGeometry()).isEqualTo(DeviceGeometry.DEVICE_GEOMETRY_MIG);
    agent.orElseThrow().close();
    plane.poolMigAuto = false;
    start(asThePoolSays);
    assertThat(node().getDevices(0).getGeometry())
        .as("nothing turns it off")
        .isEqualTo(DeviceGeometry.DEVICE_GEOMETRY_MIG);
  }

  @Test
  void aNewcomerStartsAnewWhenItHearsWhatItsPoolSays() {
    FakeGpus gpus = FakeGpus.in(root, Version.V615).with(false).with(false);
    gpus.processes(1, "4711 1000 compute -1");
    plane.poolMigAuto = true;
    AgentConfig config = config(gpus.library(), GpuConfig.Driver.NVML, GpuConfig.Mig.Mode.POOL);
    List<String> failures = new CopyOnWriteArrayList<>();
    try (AgentSuccession succession =
        new AgentSuccession(
            () -> new NodeAgent(config, Telemetry.disabled(), TimeSource.system()),
            () -> failures.add("failed"),
            () -> failures.add("refused"))) {
      succession.start();
      await()
          .atMost(FakeControlPlane.PATIENCE)
          .until(() ->
              !plane.registrations.isEmpty()
                  && node().getDevices(0).getGeometry() == DeviceGeometry.DEVICE_GEOMETRY_MIG);
      assertThat(plane.registrations.getFirst().getDevices(0).getGeometry())
          .isEqualTo(DeviceGeometry.DEVICE_GEOMETRY_CONTINUOUS);
      Device used = node().getDevices(1);
      assertThat(used.getGeometry()).isEqualTo(DeviceGeometry.DEVICE_GEOMETRY_CONTINUOUS);
      assertThat(used.getCondition().getCause()).endsWith("used by the processes [4711]");
      assertThat(plane.enrolments).as("it joins once").hasSize(1);
    }
    assertThat(failures).isEmpty();
  }

  @Test
  void killsAJobThatTakesTooMuchWhileItIsBeingStopped() throws Exception {
    FakeGpus gpus = FakeGpus.in(root, Version.V580).with(false);
    start(config(gpus.library(), GpuConfig.Driver.NVML));
    plane.send(
        Orders.message(
            Orders.withCallback(
                    Orders.assign(plane.leadership, "slow", "echo up; exec sleep 1000"),
                    "exec sleep 1000")
                .setAbortTimeout(Durations.fromSeconds(900))
                .addSlices(Orders.slice(node(), 0, "1/2"))));
    long pid = processes("slow", 1).getFirst();
    plane.send(Orders.stop(plane.leadership, "slow", Stop.Kind.KIND_PREEMPT));
    plane.awaitReport("slow", report -> report.getStopPhase().equals("callback"));
    gpus.uses(0, pid, 60 * FakeGpus.GIB);
    AttemptReport end = plane.awaitEnd("slow");

    assertThat(end.getEndReason()).as("as was ordered").isEqualTo(EndReason.END_REASON_STOPPED);
    assertThat(end.getError()).startsWith("it used 61440 MiB of the memory of GPU-");
  }

  @Test
  void runsWithoutGpusWhereNoneWorkUnlessTheyAreDemanded() {
    Path library = root.resolve("libnvidia-ml.so.1");
    start(config(library, GpuConfig.Driver.AUTO));
    assertThat(node().getDevicesList()).isEmpty();
    assertThat(node().getDriver()).isEqualTo("none");
    agent.orElseThrow().close();
    agent = Optional.empty();

    AgentConfig demanding = config(library, GpuConfig.Driver.NVML);
    assertThatExceptionOfType(UncheckedIOException.class)
        .isThrownBy(
            () -> new NodeAgent(demanding, Telemetry.disabled(), TimeSource.system()).start())
        .withMessageContaining(
            "gpu.driver nvml demands GPUs, but no NVIDIA driver: the library "
                + library
                + " is not installed");
    FakeGpus none = FakeGpus.in(root, Version.V615);
    assertThatExceptionOfType(UncheckedIOException.class)
        .isThrownBy(() ->
            new NodeAgent(
                config(none.library(), GpuConfig.Driver.NVML),
                Telemetry.disabled(),
                TimeSource.system()))
        .withMessageContaining("the driver shows no usable GPU");
  }
}
