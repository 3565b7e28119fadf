package io.headgate.agent.runtime;

import static org.awaitility.Awaitility.await;

import com.sun.management.HotSpotDiagnosticMXBean;
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
import io.headgate.agent.driver.GpuDriver;
import io.headgate.agent.driver.KernelDevices;
import io.headgate.agent.driver.nvml.FakeGpus;
import io.headgate.agent.driver.nvml.MigSettings;
import io.headgate.agent.driver.nvml.MpsProtocol;
import io.headgate.agent.driver.nvml.MpsSettings;
import io.headgate.agent.driver.nvml.NvmlGpuDriver;
import io.headgate.agent.driver.nvml.NvmlSteps;
import io.headgate.agent.driver.rocm.FakeAmdGpus;
import io.headgate.agent.driver.rocm.RocmGpuDriver;
import io.headgate.agent.driver.rocm.RocmSteps;
import io.headgate.agent.process.BootClock;
import io.headgate.agent.process.SupervisorSpec;
import io.headgate.agent.runtime.attempt.CheckpointRoots;
import io.headgate.agent.runtime.attempt.GangNetwork;
import io.headgate.agent.runtime.ledger.AgentNames;
import io.headgate.agent.runtime.ledger.Retention;
import io.headgate.agent.runtime.telemetry.AgentInstruments;
import io.headgate.agent.runtime.watch.DeviceWatch;
import io.headgate.agent.runtime.watch.MemoryWatch;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.time.TimeSource;
import io.headgate.type.GpuQuantity;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;

/// An agent without a connection, run by [CyclesTest] in a JVM of its own, so that every open file
/// and every thread counted is the agent's. Jobs come and go; the agent then writes what it held
/// before and after.
final class CyclingAgent {
  static final int WARM_UP = 10;

  /// Things of one kind that a JVM may open for itself after the warm-up.
  static final int LATE = 4;

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String NAME = "cycles";
  private static final Pattern THREAD = Pattern.compile("(?m)^#[0-9]+ \"([^\"]*)\"");

  /// How the jobs' slices are made.
  enum Mechanism {
    /// By a limit of the job's cgroup where the machine has cgroups; otherwise only watched.
    CGROUP,
    MIG,
    MPS,
    /// By the modes of an AMD GPU, which changes its mode for every job.
    AMD_MODE,
    /// By the kernel's limit of an AMD GPU's memory.
    AMD_LIMIT
  }

  private final Path data;
  private final Mechanism mechanism;
  private final TimeSource time = TimeSource.system();

  private CyclingAgent(Path data, Mechanism mechanism) {
    this.data = data;
    this.mechanism = mechanism;
  }

  static Agent open(Path data, Mechanism mechanism) throws IOException {
    TimeSource time = TimeSource.system();
    GpuDriver driver =
        switch (mechanism) {
          case CGROUP, MIG, MPS ->
              NvmlGpuDriver.open(nvidia(data, mechanism == Mechanism.MPS), NvmlSteps.NONE);
          case AMD_MODE, AMD_LIMIT -> RocmGpuDriver.open(amd(data), RocmSteps.NONE);
        };
    return Agent.open(
        new Agent.Settings(
            NAME,
            data,
            new CheckpointRoots(data.resolve("checkpoints"), Map.of()),
            new SupervisorSpec.Logs(1 << 20, 2),
            new Retention.Limits(0, Duration.ZERO, Optional.empty()),
            new MemoryWatch.Settings(Duration.ofMillis(150), Duration.ofMillis(400)),
            WallsConfig.DEFAULTS.settings(),
            ContainersConfig.NONE.settings(),
            Optional.empty(),
            GangNetwork.Settings.ALONE,
            BootClock.bootId()),
        driver,
        new DeviceWatch(driver, Duration.ofSeconds(10), time),
        new AgentInstruments(Telemetry.disabled(), time, NAME),
        Optional.empty(),
        time);
  }

  private static NvmlGpuDriver.Settings nvidia(Path data, boolean mps) {
    return new NvmlGpuDriver.Settings(
        data.resolve("libnvidia-ml.so.1").toString(),
        PATIENCE,
        MigSettings.KEEP,
        Agent.cgroups(NAME, data)::of,
        new MpsSettings(
            mps ? List.of(MpsProtocol.V3, MpsProtocol.V2) : List.of(),
            FakeGpus.mpsControl(),
            data.resolve("mps"),
            PATIENCE,
            0,
            false),
        KernelDevices.HERE);
  }

  private static RocmGpuDriver.Settings amd(Path data) {
    return new RocmGpuDriver.Settings(
        List.of(data.resolve("librocm_smi64.so").toString()),
        PATIENCE,
        data.resolve("gpus"),
        KernelDevices.HERE,
        Optional.of(attempt -> Optional.of(limitedCgroup(data.resolve("cgroups"), attempt))));
  }

  /// A cgroup as the kernel makes it, with its file of limits.
  private static Path limitedCgroup(Path cgroups, String attempt) {
    try {
      Path cgroup = Files.createDirectories(cgroups.resolve(attempt));
      if (!Files.exists(cgroup.resolve("dmem.max"))) {
        Files.createFile(cgroup.resolve("dmem.max"));
      }
      return cgroup;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private SliceGrant slice(int cycle) {
    return switch (mechanism) {
      case CGROUP, MPS -> new SliceGrant(0, FakeGpus.uuid(0), GpuQuantity.parse("1/2"), 0);
      case MIG -> place(FakeGpus.uuid(0), "1/7", new SlicePlace("1g.10gb", 6, 1));
      case AMD_MODE ->
          cycle % 2 == 0
              ? place(FakeAmdGpus.uuid(0), "1/4", new SlicePlace("QPX", 4, 2))
              : place(FakeAmdGpus.uuid(0), "1/2", new SlicePlace("DPX", 4, 4));
      case AMD_LIMIT -> new SliceGrant(0, FakeAmdGpus.uuid(0), GpuQuantity.parse("1/2"), 0);
    };
  }

  private static SliceGrant place(String uuid, String gpus, SlicePlace place) {
    return new SliceGrant(0, uuid, GpuQuantity.parse(gpus), 0, Optional.of(place));
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
        Optional.empty(),
        Optional.empty(),
        false);
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

  /// The things that this process and its jobs hold, counted by kind: numbers are left out of the
  /// names of files and threads.
  private SortedMap<String, Long> held() throws IOException {
    SortedMap<String, Long> held = new TreeMap<>();
    try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
      for (Path file : files.toList()) {
        add(held, "open file " + target(file));
      }
    }
    String own = data.toString();
    Files.readAllLines(Path.of("/proc/self/maps")).stream()
        .filter(line -> line.contains(own))
        .forEach(line -> add(held, "mapping of " + line.substring(line.indexOf(own))));
    THREAD.matcher(threads()).results().forEach(thread -> add(held, "thread " + thread.group(1)));
    ProcessHandle.current().children().forEach(_ -> add(held, "child"));
    return held;
  }

  private void add(Map<String, Long> held, String thing) {
    held.merge(thing.replace(data.toString(), "").replaceAll("[0-9]+", "#"), 1L, Long::sum);
  }

  private static String target(Path file) throws IOException {
    try {
      return Files.readSymbolicLink(file).toString();
    } catch (NoSuchFileException _) {
      return "of the listing itself";
    }
  }

  /// Names of all threads, also virtual ones.
  private String threads() throws IOException {
    Path dump = data.resolve("threads");
    Files.deleteIfExists(dump);
    ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
        .dumpThreads(dump.toString(), HotSpotDiagnosticMXBean.ThreadDumpFormat.TEXT_PLAIN);
    return Files.readString(dump);
  }

  /// Counts of things that must be gone with the last job.
  private SortedMap<String, Long> ofJobs() throws IOException {
    String own = data.toString();
    long processes =
        ProcessHandle.allProcesses()
            .filter(process -> process.pid() != ProcessHandle.current().pid())
            .filter(process -> process.info().commandLine().orElse("").contains(own))
            .count();
    return new TreeMap<>(Map.of("processes", processes, "cgroups", cgroupsOfJobs()));
  }

  private boolean isSettled(SortedMap<String, Long> before) throws IOException {
    return ofJobs().values().stream().allMatch(count -> count == 0)
        && held().entrySet().stream()
            .allMatch(kind -> kind.getValue() - before.getOrDefault(kind.getKey(), 0L) < LATE);
  }

  /// The number of the jobs' cgroups in all hierarchies.
  private long cgroupsOfJobs() throws IOException {
    String agents = "headgate-" + AgentNames.load(data).cgroups(NAME);
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

  /// Writes lines of a kind, how many were held before and how many after, with tabs between.
  public static void main(String[] arguments) throws Exception {
    Path data = Path.of(arguments[0]);
    CyclingAgent cycling = new CyclingAgent(data, Mechanism.valueOf(arguments[1]));
    int cycles = Integer.parseInt(arguments[2]);
    try (Agent agent = open(data, cycling.mechanism)) {
      agent.start();
      cycling.run(agent, cycles);
    }
    System.exit(0);
  }

  private void run(Agent agent, int cycles) throws Exception {
    List<Double> started = new ArrayList<>();
    List<Double> freed = new ArrayList<>();
    for (int i = 0; i < WARM_UP; i++) {
      cycle(agent, i);
    }
    SortedMap<String, Long> before = held();
    for (int i = WARM_UP; i < WARM_UP + cycles; i++) {
      double[] millis = cycle(agent, i);
      started.add(millis[0]);
      freed.add(millis[1]);
    }
    System.out.println("assigned to started " + words(started) + "; freed " + words(freed));
    try {
      // The last job's processes and files may take a moment to go.
      await().atMost(PATIENCE).until(() -> isSettled(before));
    } catch (ConditionTimeoutException _) {
      // The test says what has stayed.
    }
    List<String> lines = new ArrayList<>();
    held()
        .forEach(
            (kind, after) -> lines.add(kind + "\t" + before.getOrDefault(kind, 0L) + "\t" + after));
    ofJobs().forEach((kind, after) -> lines.add("jobs' " + kind + "\t0\t" + after));
    Files.write(data.resolve("held"), lines);
  }

  private static String words(List<Double> millis) {
    List<Double> sorted = millis.stream().sorted().toList();
    return "p50 %.1f ms, p99 %.1f ms"
        .formatted(sorted.get(sorted.size() / 2), sorted.get(sorted.size() * 99 / 100));
  }
}
