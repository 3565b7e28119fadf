package io.headgate.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.headgate.agent.AgentConfig;
import io.headgate.agent.GpuConfig;
import io.headgate.agent.NodeAgent;
import io.headgate.agent.WallsConfig;
import io.headgate.agent.process.Cgroups;
import io.headgate.agent.qualify.Probe;
import io.headgate.kit.config.ByteSize;
import io.headgate.kit.config.Secret;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.testing.Needed;
import io.headgate.kit.time.TimeSource;
import io.headgate.sdk.model.Job;
import io.headgate.sdk.model.JobSpec;
import io.headgate.sdk.model.JobState;
import io.headgate.sdk.model.Submission;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Fractions of GPUs from the queue to the device: the real services, and agents with fake vendor
/// libraries for GPUs that do not exist (see the fakes in node-agent's tests).
///
/// - Node `divided` has a GPU divided by MIG.
/// - Node `watched` has an undivided GPU, whose driver is too old to limit memory.
/// - Node `shared` has such a GPU too, shared by MPS.
/// - The driver of node `limited` limits memory by cgroup.
/// - Node `amd` has a GPU of AMD, divided by its mode.
///
/// A job that uses a GPU runs the probe of `headgate-agent qualify`, with a CUDA library that
/// refuses memory as the real driver would.
class GpuSlicesIT {
  private static final Duration PATIENCE = Duration.ofMinutes(3);
  private static final long GIB = 1L << 30;
  private static final String AMD_GPU = "bus/pci/devices/0000:0c:00.0";
  private static final SortedMap<String, String> SIZES =
      new TreeMap<>(Map.of("half", "1/2", "quarter", "1/4", "seventh", "1/7"));
  private static final SortedMap<String, String> ISOLATION =
      new TreeMap<>(
          Map.of(
              "divided",
              "hardware",
              "shared",
              "driver-process",
              "limited",
              "driver-container",
              "amd",
              "hardware"));

  @TempDir private static Path directory;
  private static TestInstallation headgate;
  private static final Map<String, NodeAgent> agents = new TreeMap<>();
  private static GpuConfig suspending;

  @BeforeAll
  static void start() throws Exception {
    Process compiler =
        new ProcessBuilder("sh", "../node-agent/src/test/c/build.sh", directory + "/fakes")
            .inheritIO()
            .start();
    assertThat(compiler.waitFor()).isZero();
    headgate =
        TestInstallation.start(Files.createDirectory(directory.resolve("up")))
            .withConfiguration(configuration());
    Probe.in(directory.resolve("fakes"));
    GpuConfig divided = nvidia("divided", 580, GpuConfig.Mps.Use.OFF);
    try (NodeAgent newcomer = agent("divided", divided)) {
      // The agent learns from its pool to turn MIG on; the next agent on this node does so.
      newcomer.renewal().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }
    agents.put("divided", agent("divided", divided));
    agents.put("watched", agent("watched", nvidia("watched", 580, GpuConfig.Mps.Use.OFF)));
    agents.put("shared", agent("shared", nvidia("shared", 580, GpuConfig.Mps.Use.AUTO)));
    agents.put("limited", agent("limited", nvidia("limited", 615, GpuConfig.Mps.Use.OFF)));
    suspending = nvidia("kept", 580, GpuConfig.Mps.Use.OFF);
    Files.copy(
        directory.resolve("fakes/cuda-checkpoint"),
        suspending.nvml().checkpoint().orElseThrow(),
        StandardCopyOption.COPY_ATTRIBUTES);
    agents.put("kept", agent("kept", suspending));
    agents.put("amd", agent("amd", amd()));
  }

  /// For each kind of GPU there is a queue for each size: `half-divided`.
  private static String configuration() {
    StringBuilder profiles = new StringBuilder();
    StringBuilder queues = new StringBuilder();
    ISOLATION.forEach((pool, isolation) ->
        SIZES.forEach((size, gpus) -> {
          String name = size + "-" + pool;
          profiles.append(
              "  - {name: %s, gpus: %s, isolation: %s, pools: [%s]}\n"
                  .formatted(name, gpus, isolation, pool));
          queues.append("      - {name: %1$s, profile: %1$s}\n".formatted(name));
        }));
    return """
    groups: [{name: team, users: [ada]}]
    pools: [{name: divided, type: static, mig: auto}, {name: watched, type: static}, {name: amd, type: static}, {name: shared, type: static}, {name: limited, type: static}, {name: kept, type: static}]
    profiles:
      - {name: third, gpus: 1/3, isolation: reactive, pools: [watched]}
      - {name: whole, gpus: 1, memory: 2GiB, pools: [kept]}
    %spolicies:
      - name: team
        group: team
        reservation: 4
        limit: 4
        queues:
          - {name: third, profile: third}
          - {name: whole, profile: whole}
    %s  - name: guest
        group: team
        reservation: 0
        limit: 1
        queues: [{name: idle, profile: whole}]
    """
        .formatted(profiles, queues);
  }

  private static GpuConfig nvidia(String name, int driver, GpuConfig.Mps.Use mps)
      throws IOException {
    Path machine = Files.createDirectory(directory.resolve(name));
    Path library = machine.resolve("libnvidia-ml.so.1");
    Files.copy(directory.resolve("fakes/libnvidia-ml-%d.so.1".formatted(driver)), library);
    Path gpu = Files.createDirectories(machine.resolve("gpus/0"));
    // Where programs say what they have; each job is another user.
    Path programs = Files.createDirectory(gpu.resolve("cuda"));
    Files.setPosixFilePermissions(programs, PosixFilePermissions.fromString("rwxrwxrwx"));
    Path lock = Files.createFile(machine.resolve("gpus/lock"));
    Files.setPosixFilePermissions(lock, PosixFilePermissions.fromString("rw-rw-rw-"));
    Files.writeString(gpu.resolve("name"), "NVIDIA H100 80GB HBM3\n");
    Files.writeString(gpu.resolve("uuid"), "GPU-" + name + "\n");
    Files.writeString(gpu.resolve("memory"), 80 * GIB + " " + GIB + "\n");
    Files.writeString(gpu.resolve("mig"), "0\n");
    return new GpuConfig(
        GpuConfig.Driver.NVML,
        new GpuConfig.Nvml(
            library.toString(),
            PATIENCE,
            Optional.of(machine.resolve("cuda-checkpoint")),
            PATIENCE,
            GpuConfig.Nvml.Remains.HOLD),
        GpuConfig.Rocm.DEFAULTS,
        GpuConfig.Mig.DEFAULTS,
        new GpuConfig.Mps(
            mps,
            GpuConfig.Mps.Protocol.AUTO,
            directory.resolve("fakes/nvidia-cuda-mps-control"),
            machine.resolve("mps"),
            PATIENCE,
            ByteSize.ofMebibytes(512),
            GpuConfig.Mps.Compute.SHARED),
        GpuConfig.Watchdog.DEFAULTS,
        GpuConfig.Health.DEFAULTS);
  }

  private static GpuConfig amd() throws IOException {
    Path machine = Files.createDirectory(directory.resolve("amd"));
    Path library = machine.resolve("librocm_smi64.so");
    Files.copy(directory.resolve("fakes/librocm_smi64.so"), library);
    Path sysfs = machine.resolve("gpus");
    Files.createDirectories(sysfs.resolve("module/amdgpu"));
    Files.createDirectories(sysfs.resolve("class/kfd/kfd/proc"));
    Files.createDirectories(sysfs.resolve("class/kfd/kfd/topology/nodes/0"));
    Path gpu = Files.createDirectories(sysfs.resolve(AMD_GPU));
    Files.writeString(gpu.resolve("name"), "AMD Instinct MI300X OAM\n");
    Files.writeString(gpu.resolve("unique_id"), "00000000000a3d00\n");
    Files.writeString(gpu.resolve("mem_info_vram_total"), 192 * GIB + "\n");
    Files.writeString(gpu.resolve("available_compute_partition"), "SPX, DPX, QPX, CPX\n");
    Files.writeString(gpu.resolve("current_compute_partition"), "SPX\n");
    return new GpuConfig(
        GpuConfig.Driver.ROCM,
        GpuConfig.Nvml.DEFAULTS,
        new GpuConfig.Rocm(List.of(library.toString()), PATIENCE, sysfs, GpuConfig.Rocm.Dmem.OFF),
        GpuConfig.Mig.DEFAULTS,
        GpuConfig.Mps.DEFAULTS,
        GpuConfig.Watchdog.DEFAULTS,
        GpuConfig.Health.DEFAULTS);
  }

  /// An agent on a machine of its own with one GPU, in the pool of the same name.
  private static NodeAgent agent(String name, GpuConfig gpus) {
    String joinToken = headgate.operator().createJoinToken(TestInstallation.TENANT, name, 1);
    NodeAgent agent =
        new NodeAgent(
            AgentConfig.of(
                    directory.resolve(name).resolve("agent"), name, headgate.installation().uri())
                .withJoinToken(Secret.of(joinToken))
                .withWalls(
                    WallsConfig.DEFAULTS.withShared(
                        List.of(
                            directory.resolve("fakes"), directory.resolve(name).resolve("gpus"))))
                .withGpus(gpus),
            Telemetry.disabled(),
            TimeSource.system());
    agent.start();
    return agent;
  }

  @AfterAll
  static void stop() {
    agents.values().forEach(agent -> agent.stopJobsAndClose(PATIENCE));
    headgate.close();
  }

  private static void submit(String id, String queue, String script) {
    headgate
        .jobs()
        .submit(new Submission(JobSpec.of(queue, List.of("bash", "-c", script)), id, null));
  }

  private static void needCgroups() {
    Cgroups tried = Cgroups.discover("slices-test");
    tried.removeIfEmpty();
    Needed.CGROUPS.demand(tried.areAvailable());
  }

  /// The output of the job, once it has written a line.
  private static String said(String node, String job) throws IOException {
    Path log = attempt(node, job).resolve("logs/stdout.0");
    await().atMost(PATIENCE).until(() -> Files.exists(log) && Files.readString(log).endsWith("\n"));
    return Files.readString(log).strip();
  }

  private static Path attempt(String node, String job) throws IOException {
    Path attempts = directory.resolve(node).resolve("agent/attempts");
    try (Stream<Path> all = Files.list(attempts)) {
      return all.filter(
              attempt -> attempt.getFileName().toString().startsWith("acme." + job + ".1.0."))
          .findFirst()
          .orElseThrow();
    }
  }

  /// As the machine numbers it; the job has numbers of its own.
  private static String process(String node, String job) throws IOException {
    return Files.readString(attempt(node, job).resolve("status"))
        .replaceAll("(?s).*\npid=(\\d+)\n.*", "$1");
  }

  /// Profile ids and places of the instances of the divided GPU.
  private static List<String> instances() throws IOException {
    List<String> found = new ArrayList<>();
    Path all = directory.resolve("divided/gpus/0/gi");
    if (Files.exists(all)) {
      try (Stream<Path> instances = Files.list(all)) {
        for (Path instance : instances.toList()) {
          found.add(Files.readString(instance.resolve("info")).strip());
        }
      }
    }
    return found;
  }

  @Test
  void givesEachFractionAnInstanceOfItsOwnAndTakesItBack() throws Exception {
    String script = "echo $CUDA_VISIBLE_DEVICES; exec sleep 3600";
    submit("half", "half-divided", script);
    headgate.awaitState("half", JobState.RUNNING);
    for (int i = 0; i < 4; i++) {
      submit("s" + i, "seventh-divided", script);
    }
    // Beside a half there are three sevenths; the fourth waits for a place.
    await().atMost(PATIENCE).until(() -> instances().size() == 4);
    assertThat(instances())
        .as("profile 9 is 3g.40gb, 19 is 1g.10gb")
        .contains("9 4 4")
        .filteredOn(place -> place.startsWith("19 "))
        .hasSize(3);
    await().atMost(PATIENCE).until(() -> states("s").filter(JobState.RUNNING::equals).count() == 3);
    List<String> visible = new ArrayList<>();
    for (String job : List.of("half", "s0", "s1", "s2", "s3")) {
      if (headgate.jobs().get(job).state() == JobState.RUNNING) {
        visible.add(said("divided", job));
      }
    }
    assertThat(visible)
        .hasSize(4)
        .doesNotHaveDuplicates()
        .allMatch(device -> device.startsWith("MIG-"));

    for (String job : List.of("half", "s0", "s1", "s2", "s3")) {
      headgate.jobs().cancel(job);
      headgate.awaitState(job, JobState.CANCELLED);
    }
    assertThat(instances()).isEmpty();
  }

  private static Stream<JobState> states(String prefix) {
    return Stream.of("0", "1", "2", "3")
        .map(number -> headgate.jobs().get(prefix + number).state());
  }

  /// A program that takes all the memory that it is given, in steps of a GiB.
  private static String greedy(String node, String how) {
    Path fakes = directory.resolve("fakes");
    return "FAKE_GPU_STATE=%s %s %s %s"
        .formatted(
            directory.resolve(node).resolve("gpus"),
            fakes.resolve(Probe.PROGRAM),
            fakes.resolve("libcuda.so.1"),
            how);
  }

  /// Lines of the job's programs on the memory that they got, once all programs have written
  /// theirs.
  private static List<String> got(String node, String job, int count) throws IOException {
    Path log = attempt(node, job).resolve("logs/stdout.0");
    await()
        .atMost(PATIENCE)
        .until(() -> held(log).size() == count && Files.readString(log).endsWith("\n"));
    // Under the numbers of their own namespaces, which are others' on the machine.
    try (Stream<Path> programs = Files.list(directory.resolve(node).resolve("gpus/0/cuda"))) {
      for (Path program : programs.toList()) {
        Files.delete(program);
      }
    }
    return held(log);
  }

  private static List<String> held(Path log) throws IOException {
    return Files.exists(log)
        ? Files.readAllLines(log).stream().filter(line -> line.startsWith("held ")).toList()
        : List.of();
  }

  @ParameterizedTest
  @CsvSource({"half, 39", "quarter, 19", "seventh, 9"})
  void refusesAProgramMoreThanItsInstance(String size, int gib) throws Exception {
    String job = "full-" + size;
    submit(job, size + "-divided", greedy("divided", "fill 1024 81920 0"));
    headgate.awaitState(job, JobState.RUNNING);
    assertThat(got("divided", job, 1))
        .containsExactly("held %d CUDA_ERROR_OUT_OF_MEMORY".formatted(gib * 1024));
    headgate.jobs().cancel(job);
    headgate.awaitState(job, JobState.CANCELLED);
  }

  /// Programs can have 79 GiB of the GPU; a part gets its share in whole GiB.
  @ParameterizedTest
  @CsvSource({"half, 39", "quarter, 19", "seventh, 11"})
  void refusesTheProcessesOfAJobTogetherMoreThanTheirPart(String size, int gib) throws Exception {
    needCgroups();
    String job = "together-" + size;
    submit(job, size + "-limited", greedy("limited", "children 2 1024 81920 0"));
    headgate.awaitState(job, JobState.RUNNING);
    List<String> got = got("limited", job, 2);
    assertThat(got).allMatch(line -> line.endsWith(" CUDA_ERROR_OUT_OF_MEMORY"));
    assertThat(got.stream().mapToInt(line -> Integer.parseInt(line.split(" ")[1])).sum())
        .isEqualTo(gib * 1024);
    headgate.jobs().cancel(job);
    headgate.awaitState(job, JobState.CANCELLED);
    try (Stream<Path> limits = Files.list(directory.resolve("limited/gpus/0/limits"))) {
      assertThat(limits).as("each was taken back").isEmpty();
    }
  }

  @Test
  void failsAJobThatTakesMoreThanItsPart() throws Exception {
    submit("greedy", "third", "echo up; exec sleep 3600");
    headgate.awaitState("greedy", JobState.RUNNING);
    assertThat(said("watched", "greedy")).isEqualTo("up");
    Path processes = directory.resolve("watched/gpus/0/processes");
    long greedy = Long.parseLong(process("watched", "greedy"));
    Files.writeString(processes, greedy + " " + 30 * GIB + " compute -1\n");
    await().atMost(PATIENCE).until(() -> ProcessHandle.of(greedy).isEmpty());
    // A driver frees the memory of a process that has ended; until then the slice is not free.
    Files.writeString(processes, "");
    Job failed = headgate.awaitState("greedy", JobState.FAILED);

    assertThat(failed.attempts().getFirst().error())
        .startsWith("it used 30720 MiB of the memory of GPU-watched, of which it has ");
  }

  @Test
  void holdsTheProcessesOfJobsToTheirPartsByMps() throws Exception {
    // Their parts of 79 GiB, less what is kept for the programs themselves.
    Map<String, Integer> limits = Map.of("half", 39936, "quarter", 19712, "seventh", 11044);
    String program = directory.resolve("fakes/fake-cuda").toString();
    for (Map.Entry<String, Integer> part : limits.entrySet()) {
      submit(
          "mps-" + part.getKey(),
          part.getKey() + "-shared",
          "%1$s %2$d && %1$s %3$d; echo; exec sleep 3600"
              .formatted(program, part.getValue(), part.getValue() + 1));
      headgate.awaitState("mps-" + part.getKey(), JobState.RUNNING);
    }
    submit("mps2", "half-shared", "exec sleep 3600");
    for (Map.Entry<String, Integer> part : limits.entrySet()) {
      String job = "mps-" + part.getKey();
      String limited = "mps limit=%d threads=100".formatted(part.getValue());
      await().atMost(PATIENCE).until(() -> said("shared", job).lines().count() == 4);
      assertThat(said("shared", job).lines())
          .containsExactly(limited, "allocated", limited, "out of memory");
      headgate.jobs().cancel(job);
      headgate.awaitState(job, JobState.CANCELLED);
    }
    headgate.awaitState("mps2", JobState.RUNNING);
    headgate.jobs().cancel("mps2");
    headgate.awaitState("mps2", JobState.CANCELLED);
    try (Stream<Path> places = Files.walk(directory.resolve("shared/mps"))) {
      assertThat(places.filter(path -> path.endsWith("pipe"))).isEmpty();
    }
  }

  /// Killed at each step of it, an agent is in node-agent's CrashTest; here its scheduler hears of
  /// it from one session and has it go on in another.
  @Test
  void keepsAVictimInMemoryAndHasALaterAgentLetItGoOnWhereItWas() throws Exception {
    needCgroups();
    headgate
        .jobs()
        .submit(
            new Submission(
                JobSpec.of(
                        "idle",
                        List.of("bash", "-c", "for ((i = 1; ; i++)); do echo $i > count; done"))
                    .withSuspend(Duration.ofHours(1)),
                "low",
                null));
    headgate.awaitState("low", JobState.RUNNING);
    Path count = attempt("kept", "low").resolve("work/count");
    await().atMost(PATIENCE).until(() -> Files.exists(count));
    Path memory = directory.resolve("kept/gpus/0/cuda").resolve(process("kept", "low"));
    Files.writeString(memory, GIB + " compute -1\n");

    submit("high", "whole", "exec sleep 3600");
    Job kept = headgate.awaitState("low", JobState.SUSPENDED);
    headgate.awaitState("high", JobState.RUNNING);
    assertThat(memory).doesNotExist();
    assertThat(kept.reason().code()).isEqualTo("SUSPENDED");
    assertThat(kept.reason().message())
        .startsWith(
            "it is kept in the memory of kept and goes on there, where it was, when device 0");
    String counted = Files.readString(count);
    agents.get("kept").close();
    agents.put("kept", agent("kept", suspending));
    headgate.jobs().cancel("high");
    headgate.awaitState("high", JobState.CANCELLED);

    Job again = headgate.awaitState("low", JobState.RUNNING);
    assertThat(again.attempt()).isEqualTo(1);
    assertThat(memory).as("the same process").exists();
    await().atMost(PATIENCE).until(() -> !Files.readString(count).equals(counted));
    headgate.jobs().cancel("low");
    headgate.awaitState("low", JobState.CANCELLED);
  }

  @Test
  void dividesAnIdleAmdGpuAsItsJobsNeedAndNotUnderThem() throws Exception {
    String script = "echo $ROCR_VISIBLE_DEVICES $HEADGATE_GPU_MEMORY_LIMIT_BYTES; exec sleep 3600";
    List<String> parts = List.of("q0", "q1", "q2", "s");
    for (String job : parts) {
      submit(job, job.equals("s") ? "seventh-amd" : "quarter-amd", script);
    }
    Map<String, String> seen = new TreeMap<>();
    for (String job : parts) {
      headgate.awaitState(job, JobState.RUNNING);
      String[] said = said("amd", job).split(" ", -1);
      assertThat(said[1]).as("of a seventh, too").isEqualTo(Long.toString(48 * GIB));
      seen.put(job, said[0]);
    }
    assertThat(mode()).isEqualTo("QPX");
    assertThat(seen.values()).as("each its own").containsExactlyInAnyOrder("0", "1", "2", "3");

    submit("h", "half-amd", script);
    headgate.awaitState("h", JobState.WAITING);
    Path process = directory.resolve("amd/gpus/class/kfd/kfd/proc").resolve(process("amd", "q0"));
    ProcessHandle greedy = ProcessHandle.of(Long.parseLong(process("amd", "q0"))).orElseThrow();
    // The kernel numbers the partitions of the GPU on bus 12 in this mode from 12040 on.
    Path memory = Files.createDirectory(process).resolve("vram_1204" + seen.get("q0"));
    Files.writeString(memory, 49 * GIB + "\n");
    greedy.onExit().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    Files.delete(memory);
    assertThat(headgate.awaitState("q0", JobState.FAILED).attempts().getFirst().error())
        .startsWith("it used 50176 MiB of the memory of GPU-");
    for (String job : List.of("q1", "q2", "s")) {
      headgate.jobs().cancel(job);
      headgate.awaitState(job, JobState.CANCELLED);
    }
    headgate.awaitState("h", JobState.RUNNING);
    assertThat(said("amd", "h")).isEqualTo("0 " + 96 * GIB);
    assertThat(mode()).isEqualTo("DPX");
    headgate.jobs().cancel("h");
    headgate.awaitState("h", JobState.CANCELLED);
  }

  private static String mode() throws IOException {
    return Files.readString(
            directory.resolve("amd/gpus").resolve(AMD_GPU).resolve("current_compute_partition"))
        .strip();
  }
}
