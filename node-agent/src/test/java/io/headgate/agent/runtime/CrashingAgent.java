package io.headgate.agent.runtime;

import io.headgate.agent.ContainersConfig;
import io.headgate.agent.WallsConfig;
import io.headgate.agent.core.StopOrder;
import io.headgate.agent.driver.KernelDevices;
import io.headgate.agent.driver.nvml.FakeGpus;
import io.headgate.agent.driver.nvml.MigSettings;
import io.headgate.agent.driver.nvml.MpsProtocol;
import io.headgate.agent.driver.nvml.MpsSettings;
import io.headgate.agent.driver.nvml.NvmlGpuDriver;
import io.headgate.agent.driver.nvml.NvmlSteps;
import io.headgate.agent.kubernetes.PodSettings;
import io.headgate.agent.kubernetes.StandInCluster;
import io.headgate.agent.process.BootClock;
import io.headgate.agent.process.SupervisorSpec;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.time.TimeSource;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;

/// An agent without a wire, run by [CrashTest] in a JVM of its own: it takes one job on, stops it
/// if asked to, and dies at the failpoint, or the step of its GPU driver, that it was started with.
final class CrashingAgent {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private CrashingAgent() {}

  static Agent open(Path data) throws IOException {
    return open(data, BootClock.bootId());
  }

  static Agent open(Path data, String bootId) throws IOException {
    TimeSource time = TimeSource.system();
    NvmlGpuDriver driver = NvmlGpuDriver.open(gpus(data), CrashingAgent::reached);
    return Agent.open(
        new Agent.Settings(
            "crash",
            data,
            data.resolve("checkpoints"),
            new SupervisorSpec.Logs(1 << 20, 4),
            new Retention.Limits(10, Duration.ofDays(1), Optional.empty()),
            new MemoryWatch.Settings(Duration.ofMillis(150), Duration.ofMillis(400)),
            WallsConfig.DEFAULTS.settings(),
            containers(data),
            pods(data),
            bootId),
        driver,
        new DeviceWatch(driver, Duration.ofSeconds(10), time),
        new AgentInstruments(Telemetry.disabled(), time, "crash"),
        time);
  }

  private static ContainerUse containers(Path data) {
    return ContainersConfig.NONE.below(data).settings();
  }

  /// Of the cluster that the test has put beside the agent's records, if it has.
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

  /// Of the machine that the test has put beside the agent's records.
  private static NvmlGpuDriver.Settings gpus(Path data) {
    boolean mps = isShared(data);
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
        KernelDevices.HERE);
  }

  /// Whether its GPUs are shared by MPS.
  static boolean isShared(Path data) {
    return Files.isDirectory(data.resolve("mps"));
  }

  private static void reached(NvmlSteps.Step step) {
    if (step.name().equals(System.getProperty(Failpoint.PROPERTY))) {
      Runtime.getRuntime().halt(137);
    }
  }

  public static void main(String[] arguments) throws Exception {
    Agent agent = open(Path.of(arguments[0]));
    agent.start();
    // Without contact ever, a millisecond of patience is over.
    boolean late = arguments[1].equals("late");
    agent.post(
        CrashTest.assigned(
            isShared(Path.of(arguments[0])),
            late ? Optional.of(Duration.ofMillis(1)) : Optional.empty()));
    if (arguments[1].equals("stop")) {
      // The job is ready to be stopped, and its supervisor can be told to.
      while (!Files.exists(Path.of(arguments[0], "checkpoints/acme/job/starts"))
          || agent.reports().get().stream().noneMatch(report -> report.started().isPresent())) {
        Thread.onSpinWait();
      }
      agent.post(CrashTest.ordered(new StopOrder(StopOrder.Kind.PREEMPT, false)));
    }
    // The failpoint ends this; a test that names none that is passed runs into its own time limit.
    new CountDownLatch(1).await();
  }
}
