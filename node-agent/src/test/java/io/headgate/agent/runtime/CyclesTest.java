package io.headgate.agent.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.headgate.agent.ContainersConfig;
import io.headgate.agent.WallsConfig;
import io.headgate.agent.core.AbortCallback;
import io.headgate.agent.core.Assignment;
import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.core.AttemptReport;
import io.headgate.agent.core.AttemptState;
import io.headgate.agent.core.Fixtures;
import io.headgate.agent.core.Input;
import io.headgate.agent.core.IsolationLevel;
import io.headgate.agent.core.SliceGrant;
import io.headgate.agent.core.SlicePlace;
import io.headgate.agent.core.StopOrder;
import io.headgate.agent.driver.KernelDevices;
import io.headgate.agent.driver.nvml.FakeGpus;
import io.headgate.agent.driver.nvml.MigSettings;
import io.headgate.agent.driver.nvml.MpsProtocol;
import io.headgate.agent.driver.nvml.MpsSettings;
import io.headgate.agent.driver.nvml.NvmlGpuDriver;
import io.headgate.agent.driver.nvml.NvmlSteps;
import io.headgate.agent.process.BootClock;
import io.headgate.agent.process.Cgroups;
import io.headgate.agent.process.SupervisorSpec;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.time.TimeSource;
import io.headgate.type.GpuQuantity;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Jobs with slices come and go, and nothing of them is left: no process, open file, thread,
/// cgroup, directory, instance, limit or daemon. `-Dheadgate.test.cycles=1000` for as many as a
/// machine sees in a day.
class CyclesTest {
  private static final Logger LOG = LoggerFactory.getLogger(CyclesTest.class);
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String NAME = "cycles";
  private static final int CYCLES = Integer.getInteger("headgate.test.cycles", 30);
  private static final int WARM_UP = 10;

  /// Files and threads that a JVM opens after that, for itself; fewer than there are cycles.
  private static final int LATE = 20;

  @TempDir Path data;
  private final TimeSource time = TimeSource.system();
  private FakeGpus gpus;
  private Cgroups cgroups;
  private MpsSettings mps;

  /// What of this process and its jobs there is on the machine.
  private record Held(long files, long threads, long processes, long cgroups) {}

  private void install(boolean shared) {
    mps =
        new MpsSettings(
            shared ? List.of(MpsProtocol.V3, MpsProtocol.V2) : List.of(),
            FakeGpus.mpsControl(),
            data.resolve("mps"),
            PATIENCE,
            0,
            false);
    gpus =
        shared
            ? FakeGpus.in(data, FakeGpus.Version.V580).with(false)
            : FakeGpus.in(data, FakeGpus.Version.V615).with(false).with(true);
    cgroups = Agent.cgroups(NAME, data);
  }

  private Agent open() throws IOException {
    NvmlGpuDriver driver =
        NvmlGpuDriver.open(
            new NvmlGpuDriver.Settings(
                gpus.library().toString(),
                PATIENCE,
                MigSettings.KEEP,
                cgroups::of,
                mps,
                KernelDevices.HERE),
            NvmlSteps.NONE);
    return Agent.open(
        new Agent.Settings(
            NAME,
            data,
            data.resolve("checkpoints"),
            new SupervisorSpec.Logs(1 << 20, 2),
            new Retention.Limits(0, Duration.ZERO, Optional.empty()),
            new MemoryWatch.Settings(Duration.ofMillis(150), Duration.ofMillis(400)),
            WallsConfig.DEFAULTS.settings(),
            ContainersConfig.NONE.settings(),
            Optional.empty(),
            BootClock.bootId()),
        driver,
        new DeviceWatch(driver, Duration.ofSeconds(10), time),
        new AgentInstruments(Telemetry.disabled(), time, NAME),
        time);
  }

  private SliceGrant slice(int cycle) {
    return cycle % 2 == 0 || !mps.protocols().isEmpty()
        ? new SliceGrant(0, FakeGpus.uuid(0), GpuQuantity.parse("1/2"), 0)
        : new SliceGrant(
            1,
            FakeGpus.uuid(1),
            GpuQuantity.parse("1/7"),
            0,
            Optional.of(new SlicePlace("1g.10gb", 6, 1)));
  }

  private static Assignment assignment(AttemptKey key, SliceGrant slice) {
    return new Assignment(
        key,
        1,
        "half",
        List.of(slice),
        0,
        0,
        List.of("sleep", "1000"),
        new TreeMap<>(),
        Optional.empty(),
        Optional.empty(),
        AbortCallback.NONE,
        Duration.ofSeconds(20),
        Optional.empty(),
        "",
        false,
        IsolationLevel.NONE,
        "ada",
        Optional.empty());
  }

  private static AttemptReport report(Agent agent, AttemptKey key) throws Exception {
    return agent.reports().get().stream()
        .filter(report -> report.key().equals(key))
        .findFirst()
        .orElseThrow();
  }

  /// A job runs, is stopped, and is forgotten.
  ///
  /// @return milliseconds from its assignment to its start, and of its clean-up
  private double[] cycle(Agent agent, int cycle) throws Exception {
    AttemptKey key = new AttemptKey(Fixtures.key("job").job(), "", cycle + 1, 0);
    long begun = time.instant().toEpochMilli();
    agent.post(new Input.Assigned(Fixtures.LEADER, assignment(key, slice(cycle)), time.instant()));
    await()
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(2))
        .until(() -> report(agent, key).started().isPresent());
    double started = report(agent, key).started().orElseThrow().toEpochMilli() - begun;
    agent.post(
        new Input.StopOrdered(
            Fixtures.LEADER, key, new StopOrder(StopOrder.Kind.CANCEL, true), time.instant()));
    await()
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(2))
        .until(() -> report(agent, key).state() == AttemptState.ENDED);
    double freed = report(agent, key).step().orElseThrow().duration().orElseThrow().toNanos() / 1e6;
    agent.post(new Input.Forgotten(key));
    agent.acknowledge(agent.updatesAfter(0, 1000).getLast().sequence());
    return new double[] {started, freed};
  }

  private Held held() throws IOException {
    String own = data.toString();
    return new Held(
        count(Path.of("/proc/self/fd")),
        count(Path.of("/proc/self/task")),
        ProcessHandle.allProcesses()
            .filter(process -> process.info().commandLine().orElse("").contains(own))
            .count(),
        cgroupsOfJobs());
  }

  private static long count(Path directory) throws IOException {
    try (Stream<Path> entries = Files.list(directory)) {
      return entries.count();
    }
  }

  /// Of all hierarchies.
  private long cgroupsOfJobs() throws IOException {
    String agents = "headgate-" + Agent.nameOnMachine(NAME, data);
    List<Path> roots = new ArrayList<>();
    for (String line : Files.readAllLines(Path.of("/proc/self/mountinfo"))) {
      if (line.contains(" - cgroup")) {
        roots.add(Path.of(line.split(" ", -1)[4]));
      }
    }
    long found = 0;
    for (Path root : roots) {
      for (Path parent : named(root, agents)) {
        try (Stream<Path> jobs = Files.list(parent)) {
          found += jobs.filter(Files::isDirectory).count();
        }
      }
    }
    return found;
  }

  /// Other tests' directories come and go meanwhile.
  private static List<Path> named(Path root, String name) throws IOException {
    List<Path> found = new ArrayList<>();
    Files.walkFileTree(
        root,
        Set.of(),
        6,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
            if (directory.endsWith(name)) {
              found.add(directory);
            }
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException gone) {
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException gone) {
            return FileVisitResult.CONTINUE;
          }
        });
    return found;
  }

  /// Half of a GPU, by cgroup where the machine has any, by turns with an instance of MIG; or by
  /// MPS.
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void leaveNothing(boolean shared) throws Exception {
    install(shared);
    List<Double> started = new ArrayList<>();
    List<Double> freed = new ArrayList<>();
    try (Agent agent = open()) {
      agent.start();
      for (int i = 0; i < WARM_UP; i++) {
        cycle(agent, i);
      }
      Held before = held();
      for (int i = WARM_UP; i < WARM_UP + CYCLES; i++) {
        double[] millis = cycle(agent, i);
        started.add(millis[0]);
        freed.add(millis[1]);
      }
      LOG.info(
          "{} jobs{}: assigned to started {}; freed {}",
          CYCLES,
          shared ? " by MPS" : "",
          words(started),
          words(freed));
      // Those of the last one may take a moment to go.
      await()
          .atMost(PATIENCE)
          .untilAsserted(() -> {
            Held after = held();
            assertThat(after.processes()).isZero();
            assertThat(after.cgroups()).isZero();
            assertThat(after.files()).isLessThan(before.files() + LATE);
            assertThat(after.threads()).isLessThan(before.threads() + LATE);
          });
      assertThat(gpus.instances(1)).isEmpty();
      assertThat(gpus.limits(0)).isEmpty();
      assertThat(data.resolve("mps"))
          .satisfiesAnyOf(
              none -> assertThat(none).doesNotExist(), none -> assertThat(none).isEmptyDirectory());
    }
    // What is forgotten is removed by and by, and when the agent starts.
    try (Agent agent = open()) {
      agent.start();
      await().atMost(PATIENCE).until(() -> count(data.resolve("attempts")) == 0);
      assertThat(agent.reports().get()).isEmpty();
    }
    assertThat(data.resolve("outbox").toFile().length()).isLessThan(1 << 20);
    assertThat(count(data.resolve("checkpoints/acme"))).as("the job's own").isEqualTo(1);
  }

  private static String words(List<Double> millis) {
    List<Double> sorted = millis.stream().sorted().toList();
    return "p50 %.1f ms, p99 %.1f ms"
        .formatted(sorted.get(sorted.size() / 2), sorted.get(sorted.size() * 99 / 100));
  }
}
