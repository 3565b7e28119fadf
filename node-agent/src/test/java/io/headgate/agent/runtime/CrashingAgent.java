package io.headgate.agent.runtime;

import io.headgate.agent.ContainersConfig;
import io.headgate.agent.TestConfigs;
import io.headgate.agent.WallsConfig;
import io.headgate.agent.core.AttemptReport;
import io.headgate.agent.core.Fixtures;
import io.headgate.agent.core.Input;
import io.headgate.agent.core.StopOrder;
import io.headgate.agent.driver.GpuDriver;
import io.headgate.agent.driver.KernelDevices;
import io.headgate.agent.driver.nvml.FakeGpus;
import io.headgate.agent.driver.nvml.MigSettings;
import io.headgate.agent.driver.nvml.MpsProtocol;
import io.headgate.agent.driver.nvml.MpsSettings;
import io.headgate.agent.driver.nvml.NvmlGpuDriver;
import io.headgate.agent.driver.rocm.RocmGpuDriver;
import io.headgate.agent.kubernetes.PodSettings;
import io.headgate.agent.kubernetes.StandInCluster;
import io.headgate.agent.process.BootClock;
import io.headgate.agent.process.CudaCheckpoint;
import io.headgate.agent.process.SupervisorSpec;
import io.headgate.agent.runtime.attempt.CheckpointRoots;
import io.headgate.agent.runtime.attempt.GangNetwork;
import io.headgate.agent.runtime.host.ContainerUse;
import io.headgate.agent.runtime.ledger.Failpoint;
import io.headgate.agent.runtime.ledger.Retention;
import io.headgate.agent.runtime.telemetry.AgentInstruments;
import io.headgate.agent.runtime.watch.DeviceWatch;
import io.headgate.agent.runtime.watch.MemoryWatch;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.time.TimeSource;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/// An agent without a connection, run by [CrashTest] in a JVM of its own. It takes one job, and
/// stops or suspends it if asked. It dies at the failpoint, or the step of its GPU driver, that a
/// system property names.
final class CrashingAgent {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private CrashingAgent() {}

  /// The GPUs that the test has put beside the agent's records.
  enum Machine {
    /// One that MIG divides, and one of which the driver gives memory to cgroups.
    DIVIDED,
    /// One that MPS shares.
    SHARED,
    /// One of AMD's with modes, and one whose memory the kernel limits by cgroup.
    AMD;

    static Machine in(Path data) {
      if (Files.exists(data.resolve("librocm_smi64.so"))) {
        return AMD;
      }
      return Files.isDirectory(data.resolve("mps")) ? SHARED : DIVIDED;
    }
  }

  static Agent open(Path data) throws IOException {
    return open(data, BootClock.bootId());
  }

  static Agent open(Path data, String bootId) throws IOException {
    TimeSource time = TimeSource.system();
    GpuDriver driver =
        Machine.in(data) == Machine.AMD
            ? RocmGpuDriver.open(amdGpus(data), CrashingAgent::reached)
            : NvmlGpuDriver.open(gpus(data), CrashingAgent::reached);
    return Agent.open(
        new Agent.Settings(
            "crash",
            data,
            new CheckpointRoots(data.resolve("checkpoints"), Map.of()),
            new SupervisorSpec.Logs(1 << 20, 4),
            new Retention.Limits(10, Duration.ofDays(1), Optional.empty()),
            new MemoryWatch.Settings(Duration.ofMillis(150), Duration.ofMillis(400)),
            WallsConfig.DEFAULTS.settings(),
            containers(data),
            pods(data),
            GangNetwork.Settings.ALONE,
            bootId),
        driver,
        new DeviceWatch(driver, Duration.ofSeconds(10), time),
        new AgentInstruments(Telemetry.disabled(), time, "crash"),
        Optional.empty(),
        time);
  }

  private static ContainerUse containers(Path data) {
    return TestConfigs.below(ContainersConfig.NONE, data).settings();
  }

  /// The settings of the cluster that the test has put beside the agent's records, if any.
  private static Optional<PodSettings> pods(Path data) throws IOException {
    Path cluster = data.resolve("cluster");
    if (!Files.exists(cluster)) {
      return Optional.empty();
    }
    return Optional.of(
        new PodSettings(
            URI.create(Files.readString(cluster)),
            Optional.empty(),
            Optional.empty(),
            StandInCluster.NAMESPACE,
            StandInCluster.NODE,
            Agent.podOwner("crash", data),
            Optional.of("registry.example/base:1"),
            PodSettings.Devices.NRI,
            PATIENCE,
            PATIENCE));
  }

  private static RocmGpuDriver.Settings amdGpus(Path data) {
    return new RocmGpuDriver.Settings(
        List.of(data.resolve("librocm_smi64.so").toString()),
        PATIENCE,
        data.resolve("gpus"),
        KernelDevices.HERE,
        Optional.of(attempt -> Optional.of(data.resolve("cgroups").resolve(attempt))));
  }

  private static NvmlGpuDriver.Settings gpus(Path data) {
    boolean mps = Machine.in(data) == Machine.SHARED;
    boolean both = mps && Files.isDirectory(data.resolve("cgroups"));
    return new NvmlGpuDriver.Settings(
        data.resolve("libnvidia-ml.so.1").toString(),
        PATIENCE,
        new MigSettings(!mps, false),
        attempt ->
            mps && !both ? Optional.empty() : Optional.of(data.resolve("cgroups").resolve(attempt)),
        new MpsSettings(
            mps ? List.of(MpsProtocol.V3, MpsProtocol.V2) : List.of(),
            FakeGpus.mpsControl(),
            data.resolve("mps"),
            PATIENCE,
            0,
            both),
        KernelDevices.HERE,
        Optional.of(new CudaCheckpoint(data.resolve("cuda-checkpoint"), PATIENCE)),
        true);
  }

  private static void reached(Enum<?> step) {
    if (step.name().equals(System.getProperty(Failpoint.PROPERTY))) {
      Runtime.getRuntime().halt(137);
    }
  }

  private static void await(Agent agent, Predicate<AttemptReport> expected) throws Exception {
    while (agent.reports().get().stream().noneMatch(expected)) {
      pause();
    }
  }

  /// Others need the processors.
  private static void pause() throws InterruptedException {
    var _ = new CountDownLatch(1).await(2, TimeUnit.MILLISECONDS);
  }

  /// The number of the job's program.
  static String process(Path data) throws IOException {
    return Files.readString(data.resolve("attempts/acme.job.1.0/status"))
        .replaceAll("(?s).*\npid=(\\d+)\n.*", "$1");
  }

  public static void main(String[] arguments) throws Exception {
    Agent agent = open(Path.of(arguments[0]));
    agent.start();
    Path data = Path.of(arguments[0]);
    // Without contact ever, a millisecond of patience is over.
    boolean late = arguments[1].equals("late");
    agent.post(
        arguments[1].equals("suspend")
            ? CrashTest.assignedWhole()
            : CrashTest.assigned(
                Machine.in(data), late ? Optional.of(Duration.ofMillis(1)) : Optional.empty()));
    if (arguments[1].equals("stop") || arguments[1].equals("suspend")) {
      // The job is ready to be stopped, and its supervisor can be told to.
      await(agent, report -> report.started().isPresent());
      while (!Files.exists(data.resolve("checkpoints/acme/job/starts"))) {
        pause();
      }
    }
    if (arguments[1].equals("stop")) {
      agent.post(CrashTest.ordered(new StopOrder(StopOrder.Kind.PREEMPT, false)));
    } else if (arguments[1].equals("suspend")) {
      Path programs = Files.createDirectory(data.resolve("gpus/1/cuda"));
      Files.writeString(programs.resolve(process(data)), FakeGpus.GIB + " compute -1");
      agent.post(CrashTest.ordered(new StopOrder(StopOrder.Kind.PREEMPT, false, 7)));
      await(agent, report -> report.suspension() == 7);
      agent.post(new Input.ResumeOrdered(Fixtures.LEADER, Fixtures.key("job"), Fixtures.NOW));
    }
    // The failpoint ends this; a test that names none that is passed runs into its own time limit.
    new CountDownLatch(1).await();
  }
}
