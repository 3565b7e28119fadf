package io.headgate.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.headgate.agent.driver.nvml.FakeGpus;
import io.headgate.agent.driver.nvml.FakeGpus.Version;
import io.headgate.agent.process.NeededWalls;
import io.headgate.agent.runtime.host.JobWalls.Wanted;
import io.headgate.kit.config.ByteSize;
import io.headgate.kit.config.Secret;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.time.TimeSource;
import io.headgate.proto.agent.v1.AttemptReport;
import io.headgate.proto.agent.v1.AttemptReport.EndReason;
import io.headgate.proto.agent.v1.Stop;
import io.headgate.proto.pool.v1.Node;
import io.headgate.proto.type.v1.IsolationLevel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A whole agent whose jobs share a GPU by MPS: a daemon that is not NVIDIA's, but speaks as that
/// one does, and jobs that find it through their walls.
class NodeAgentMpsTest {
  @TempDir Path root;
  private final FakeControlPlane plane = new FakeControlPlane();
  private Optional<NodeAgent> agent = Optional.empty();
  private FakeGpus gpus;

  @AfterEach
  void stop() {
    agent.ifPresent(running -> running.stopJobsAndClose(FakeControlPlane.PATIENCE));
    plane.close();
    assertThat(daemons()).isEmpty();
  }

  private List<Long> daemons() {
    return Processes.withEntry("CUDA_MPS_LOG_DIRECTORY=" + root);
  }

  private void start(WallsConfig walls, GpuConfig.Mps.Compute compute) throws Exception {
    start(FakeGpus.in(root, Version.V580).with(false), walls, compute);
  }

  private void start(FakeGpus machine, WallsConfig walls, GpuConfig.Mps.Compute compute)
      throws Exception {
    gpus = machine;
    GpuConfig config =
        new GpuConfig(
            GpuConfig.Driver.NVML,
            new GpuConfig.Nvml(gpus.library().toString(), FakeControlPlane.PATIENCE),
            GpuConfig.Rocm.DEFAULTS,
            GpuConfig.Mig.DEFAULTS,
            new GpuConfig.Mps(
                GpuConfig.Mps.Use.AUTO,
                GpuConfig.Mps.Protocol.AUTO,
                FakeGpus.mpsControl(),
                root.resolve("mps"),
                FakeControlPlane.PATIENCE,
                ByteSize.ofMebibytes(512),
                compute),
            GpuConfig.Watchdog.DEFAULTS,
            GpuConfig.Health.DEFAULTS);
    NodeAgent started =
        new NodeAgent(
            AgentConfig.of(root.resolve("n1"), "n1", plane.uri())
                .withJoinToken(Secret.of(FakeControlPlane.JOIN_TOKEN))
                .withWalls(walls.withShared(List.of(programs())))
                .withGpus(config),
            Telemetry.disabled(),
            TimeSource.system());
    agent = Optional.of(started);
    started.start();
    await().atMost(FakeControlPlane.PATIENCE).until(started::isReady);
  }

  /// A directory that jobs see, with a program that uses CUDA, and NVIDIA's control program.
  private Path programs() throws Exception {
    Path programs = root.resolve("programs");
    if (!Files.exists(programs)) {
      Files.createDirectory(programs);
      Files.copy(FakeGpus.cudaProgram(), programs.resolve("cuda"));
      Files.copy(FakeGpus.mpsControl(), programs.resolve("control"));
    }
    return programs;
  }

  private Node node() {
    return plane.registrations.getLast();
  }

  private void assign(String job, String gpus, String script) {
    plane.send(
        Orders.message(
            Orders.assign(plane.leadership, job, "cd %s; ".formatted(root + "/programs") + script)
                .addSlices(Orders.slice(node(), 0, gpus))
                .setMinimumIsolation(IsolationLevel.ISOLATION_LEVEL_DRIVER_PROCESS)));
  }

  private List<String> output(String job, int lines) throws Exception {
    Path log = root.resolve("n1/attempts/acme.%s.1.0/logs/stdout.0".formatted(job));
    await()
        .atMost(FakeControlPlane.PATIENCE)
        .until(() -> Files.exists(log) && Files.readAllLines(log).size() >= lines);
    return Files.readAllLines(log);
  }

  @Test
  void holdsTheProcessesOfJobsToTheirParts() throws Exception {
    start(WallsConfig.DEFAULTS, GpuConfig.Mps.Compute.SHARED);
    assertThat(node().getDevices(0).getIsolation())
        .isEqualTo(IsolationLevel.ISOLATION_LEVEL_DRIVER_PROCESS);
    String script = "./cuda 30000; (./cuda 50000); echo $CUDA_VISIBLE_DEVICES; exec sleep 1000";
    assign("half", "1/2", script);
    assign("quarter", "1/4", script);

    assertThat(output("half", 5))
        .containsExactly(
            "mps limit=39936 threads=100",
            "allocated",
            "mps limit=39936 threads=100",
            "out of memory",
            FakeGpus.uuid(0));
    assertThat(output("quarter", 5))
        .containsExactly(
            "mps limit=19712 threads=100",
            "out of memory",
            "mps limit=19712 threads=100",
            "out of memory",
            FakeGpus.uuid(0));
    assertThat(daemons()).as("a daemon and a server for each").hasSize(4);
    plane.send(Orders.stop(plane.leadership, "half", Stop.Kind.KIND_PREEMPT));
    plane.awaitEnd("half");
    assertThat(daemons()).as("free means ended").hasSize(2);
    plane.send(Orders.stop(plane.leadership, "quarter", Stop.Kind.KIND_CANCEL));
    plane.awaitEnd("quarter");
    assertThat(daemons()).isEmpty();
  }

  @Test
  void aJobSeesItsOwnDaemonOnlyAndCannotCommandIt() throws Exception {
    NeededWalls.demand(root);
    start(TestConfigs.walls(Wanted.REQUIRED), GpuConfig.Mps.Compute.LIMITED);
    assign("other", "1/2", "./cuda; exec sleep 1000");
    assertThat(output("other", 1).getFirst()).isEqualTo("mps limit=39936 threads=50");
    assign(
        "curious",
        "1/4",
        """
        ls -d %s/mps/*/* | wc -l
        ls $CUDA_MPS_PIPE_DIRECTORY/..
        ./cuda
        echo set_default_device_pinned_mem_limit 0 70G | ./control
        CUDA_MPS_PINNED_DEVICE_MEM_LIMIT=0=70000M CUDA_MPS_ACTIVE_THREAD_PERCENTAGE=100 ./cuda 20000
        touch $CUDA_MPS_PIPE_DIRECTORY/control.new || echo closed
        """
            .formatted(root));
    assertThat(output("curious", 7))
        .containsExactly(
            "1",
            "pipe",
            "mps limit=19712 threads=25",
            "Cannot find MPS control daemon process",
            "mps limit=19712 threads=25",
            "out of memory",
            "closed");
  }

  @Test
  void aJobSeesItsOwnNamespaceOnlyAndCannotCommandItsDaemon() throws Exception {
    NeededWalls.demand(root);
    FakeGpus latest = FakeGpus.in(root, Version.V615).with(false);
    // A machine whose cgroups are not of the kind that the driver limits.
    latest.fault("nvmlDeviceSetMemoryLimits_v1", 3, 1);
    start(latest, TestConfigs.walls(Wanted.REQUIRED), GpuConfig.Mps.Compute.LIMITED);
    assign("other", "1/2", "./cuda 39936; exec sleep 1000");
    assertThat(output("other", 2)).containsExactly("mps limit=39936 threads=50", "allocated");
    assign(
        "curious",
        "1/4",
        """
        find %s/mps -type s | wc -l
        ls $CUDA_MPS_PIPE_DIRECTORY $CUDA_MPS_PIPE_DIRECTORY/../.. | tr '\\n' ' '; echo
        ./cuda 20000
        CUDA_MPS_PIPE_DIRECTORY=${CUDA_MPS_PIPE_DIRECTORY%%/slice/job} ./control -p 3 server list
        """
            .formatted(root));
    assertThat(output("curious", 5))
        .startsWith("1")
        .endsWith(
            "mps limit=19712 threads=25",
            "out of memory",
            "Cannot find MPS control daemon process");
    assertThat(output("curious", 5).get(1)).endsWith("job/../..: slice ").contains("job: control");
    plane.send(Orders.stop(plane.leadership, "other", Stop.Kind.KIND_CANCEL));
    plane.awaitEnd("other");
    plane.awaitEnd("curious");
    assertThat(daemons()).as("each has ended with its job").isEmpty();
  }

  @Test
  void aJobThatFindsNoDaemonBecauseThereIsNoneIsRejected() throws Exception {
    start(WallsConfig.DEFAULTS, GpuConfig.Mps.Compute.SHARED);
    gpus.fault("mps-start", 1, 1);
    assign("unlucky", "1/2", "./cuda");
    AttemptReport end = plane.awaitEnd("unlucky");
    assertThat(end.getEndReason()).isEqualTo(EndReason.END_REASON_REJECTED);
    assertThat(end.getError())
        .contains("the slice could not be made: no MPS daemon could be started");
    assertThat(root.resolve("n1/attempts/acme.unlucky.1.0/logs/stdout.0")).doesNotExist();
    assign("lucky", "1/2", "./cuda; exec sleep 1000");
    assertThat(output("lucky", 1)).containsExactly("mps limit=39936 threads=100");
  }

  @Test
  void anUpgradedAgentFindsAndEndsTheDaemonsThatTheOlderVersionNamed() throws Exception {
    Path data = root.resolve("n1");
    // The older version left no record of how names follow.
    Files.createDirectories(data.resolve("attempts"));
    start(WallsConfig.DEFAULTS, GpuConfig.Mps.Compute.SHARED);
    assign("half", "1/2", "./cuda; exec sleep 1000");
    output("half", 1);
    Path own = root.resolve("mps").resolve(Integer.toHexString(data.toString().hashCode()));
    assertThat(own).isNotEmptyDirectory();
    List<Long> running = daemons();
    agent.orElseThrow().close();
    Path lost = Files.createDirectories(own.resolve("0123456789abcdef/pipe"));
    Files.delete(data.resolve("names"));
    start(gpus, WallsConfig.DEFAULTS, GpuConfig.Mps.Compute.SHARED);

    assertThat(lost).doesNotExist();
    assertThat(daemons()).isEqualTo(running);
    plane.send(Orders.stop(plane.leadership, "half", Stop.Kind.KIND_CANCEL));
    plane.awaitEnd("half");
    assertThat(daemons()).isEmpty();
    assertThat(own).isEmptyDirectory();
  }

  @Test
  void worksWithoutWalls() throws Exception {
    start(TestConfigs.walls(Wanted.NONE), GpuConfig.Mps.Compute.SHARED);
    assign("half", "1/2", "./cuda 39936; exec sleep 1000");
    assertThat(output("half", 2)).containsExactly("mps limit=39936 threads=100", "allocated");
  }
}
