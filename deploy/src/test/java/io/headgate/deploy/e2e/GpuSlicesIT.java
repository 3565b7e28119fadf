package io.headgate.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
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
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Fractions of GPUs from the queue to the device: the real services, and agents with the vendors'
/// libraries, which stand in for GPUs that do not exist (see the fakes in node-agent's tests). One
/// node's GPU is divided by MIG, the next one's is not, and its driver is too old to limit memory;
/// of a third one such a GPU is shared by MPS; the driver of the fourth limits memory by cgroup;
/// the last one's GPU is AMD's, divided by its mode. Where a program of a job uses a GPU, it is the
/// probe of `headgate-agent qualify`, with a CUDA library that refuses what the real driver would.
class GpuSlicesIT {
  private static final Duration PATIENCE = Duration.ofMinutes(3);
  private static final long GIB = 1L << 30;
  private static final String AMD_GPU = "bus/pci/devices/0000:0c:00.0";
  private static final String CONFIGURATION =
      """
      groups: [{name: team, users: [ada]}]
      pools: [{name: divided, type: static, mig: auto}, {name: watched, type: static}, {name: amd, type: static}, {name: shared, type: static}, {name: limited, type: static}, {name: kept, type: static}]
      profiles:
        - {name: seventh, gpus: 1/7, isolation: hardware, pools: [divided]}
        - {name: half, gpus: 1/2, isolation: hardware, pools: [divided]}
        - {name: third, gpus: 1/3, isolation: reactive, pools: [watched]}
        - {name: shared, gpus: 1/2, isolation: driver-process, pools: [shared]}
        - {name: limited, gpus: 1/4, isolation: driver-container, pools: [limited]}
        - {name: whole, gpus: 1, memory: 2GiB, pools: [kept]}
        - {name: quarter, gpus: 1/4, isolation: hardware, pools: [amd]}
        - {name: eighth, gpus: 1/8, isolation: hardware, pools: [amd]}
      policies:
        - name: team
          group: team
          reservation: 4
          limit: 4
          queues:
            - {name: seventh, profile: seventh}
            - {name: half, profile: half}
            - {name: third, profile: third}
            - {name: shared, profile: shared}
            - {name: limited, profile: limited}
            - {name: whole, profile: whole}
            - {name: quarter, profile: quarter}
            - {name: eighth, profile: eighth}
        - name: guest
          group: team
          reservation: 0
          limit: 1
          queues: [{name: idle, profile: whole}]
      """;

  @TempDir private static Path directory;
  private static TestInstallation headgate;
  private static final List<NodeAgent> agents = new ArrayList<>();

  @BeforeAll
  static void start() throws Exception {
    Process compiler =
        new ProcessBuilder("sh", "../node-agent/src/test/c/build.sh", directory + "/fakes")
            .inheritIO()
            .start();
    assertThat(compiler.waitFor()).isZero();
    headgate =
        TestInstallation.start(Files.createDirectory(directory.resolve("up")))
            .withConfiguration(CONFIGURATION);
    Probe.in(directory.resolve("fakes"));
    GpuConfig divided = nvidia("divided", 580, GpuConfig.Mps.Use.OFF);
    try (NodeAgent newcomer = agent("divided", divided)) {
      // It hears from its pool that MIG is to be on; the next one turns it on.
      newcomer.renewal().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }
    agents.add(agent("divided", divided));
    agents.add(agent("watched", nvidia("watched", 580, GpuConfig.Mps.Use.OFF)));
    agents.add(agent("shared", nvidia("shared", 580, GpuConfig.Mps.Use.AUTO)));
    agents.add(agent("limited", nvidia("limited", 615, GpuConfig.Mps.Use.OFF)));
    GpuConfig kept = nvidia("kept", 580, GpuConfig.Mps.Use.OFF);
    Files.copy(
        directory.resolve("fakes/cuda-checkpoint"),
        kept.nvml().checkpoint().orElseThrow(),
        StandardCopyOption.COPY_ATTRIBUTES);
    agents.add(agent("kept", kept));
    agents.add(agent("amd", amd()));
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
            PATIENCE),
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
    agents.forEach(agent -> agent.stopJobsAndClose(PATIENCE));
    headgate.close();
  }

  private static void submit(String id, String queue, String script) {
    headgate
        .jobs()
        .submit(new Submission(JobSpec.of(queue, List.of("bash", "-c", script)), id, null));
  }

  /// What the job has said, once it has.
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
    submit("half", "half", script);
    headgate.awaitState("half", JobState.RUNNING);
    for (int i = 0; i < 4; i++) {
      submit("s" + i, "seventh", script);
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

  /// What programs of the job got, and why no more, once all of them say so.
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

  @Test
  void refusesAProgramMoreThanItsInstance() throws Exception {
    submit("full", "half", greedy("divided", "fill 1024 81920 0"));
    headgate.awaitState("full", JobState.RUNNING);
    assertThat(got("divided", "full", 1)).containsExactly("held 39936 CUDA_ERROR_OUT_OF_MEMORY");
    headgate.jobs().cancel("full");
    headgate.awaitState("full", JobState.CANCELLED);
  }

  @Test
  void refusesTheProcessesOfAJobTogetherMoreThanTheirPart() throws Exception {
    Cgroups tried = Cgroups.discover("slices-test");
    tried.removeIfEmpty();
    assumeThat(tried.areAvailable()).as("this machine lets us make cgroups").isTrue();
    submit("together", "limited", greedy("limited", "children 2 1024 81920 0"));
    headgate.awaitState("together", JobState.RUNNING);
    List<String> got = got("limited", "together", 2);
    assertThat(got).allMatch(line -> line.endsWith(" CUDA_ERROR_OUT_OF_MEMORY"));
    assertThat(got.stream().mapToInt(line -> Integer.parseInt(line.split(" ")[1])).sum())
        .as("a quarter of the 79 GiB that programs can have is 20,224 MiB")
        .isEqualTo(19 * 1024);
    headgate.jobs().cancel("together");
    headgate.awaitState("together", JobState.CANCELLED);
    try (Stream<Path> limits = Files.list(directory.resolve("limited/gpus/0/limits"))) {
      assertThat(limits).as("each was taken back").isEmpty();
    }
  }

  @Test
  void failsAJobThatTakesMoreThanItsPart() throws Exception {
    submit("greedy", "third", "echo up; exec sleep 3600");
    headgate.awaitState("greedy", JobState.RUNNING);
    assertThat(said("watched", "greedy")).isEqualTo("up");
    // As the machine numbers it; the job has numbers of its own.
    String status = Files.readString(attempt("watched", "greedy").resolve("status"));
    String process = status.replaceAll("(?s).*\npid=(\\d+)\n.*", "$1");
    Files.writeString(
        directory.resolve("watched/gpus/0/processes"), process + " " + 30 * GIB + " compute -1\n");
    Job failed = headgate.awaitState("greedy", JobState.FAILED);

    assertThat(failed.attempts().getFirst().error())
        .startsWith("it used 30720 MiB of the memory of GPU-watched, of which it has ");
  }

  @Test
  void holdsTheProcessesOfJobsToTheirPartsByMps() throws Exception {
    String program = directory.resolve("fakes/fake-cuda").toString();
    String script = "%s 39936 && %s 39937; echo; exec sleep 3600".formatted(program, program);
    for (String job : List.of("mps0", "mps1")) {
      submit(job, "shared", script);
      headgate.awaitState(job, JobState.RUNNING);
    }
    submit("mps2", "shared", script);
    for (String job : List.of("mps0", "mps1")) {
      await().atMost(PATIENCE).until(() -> said("shared", job).lines().count() == 4);
      assertThat(said("shared", job).lines())
          .containsExactly(
              "mps limit=39936 threads=100",
              "allocated",
              "mps limit=39936 threads=100",
              "out of memory");
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

  @Test
  void keepsAVictimInMemoryAndHasItGoOnWhereItWas() throws Exception {
    Cgroups tried = Cgroups.discover("slices-test");
    tried.removeIfEmpty();
    assumeThat(tried.areAvailable()).as("this machine lets us make cgroups").isTrue();
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
    String process =
        Files.readString(attempt("kept", "low").resolve("status"))
            .replaceAll("(?s).*\npid=(\\d+)\n.*", "$1");
    Path memory = directory.resolve("kept/gpus/0/cuda").resolve(process);
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
    List<String> quarters = List.of("q0", "q1", "q2", "q3");
    for (String job : quarters) {
      submit(job, "quarter", script);
    }
    List<String> seen = new ArrayList<>();
    for (String job : quarters) {
      headgate.awaitState(job, JobState.RUNNING);
      seen.add(said("amd", job));
    }
    assertThat(mode()).isEqualTo("QPX");
    assertThat(seen)
        .as("each its own partition of 48 GiB")
        .extracting(line -> line.replace(" " + 48 * GIB, ""))
        .containsExactlyInAnyOrder("0", "1", "2", "3");

    submit("e", "eighth", script);
    headgate.awaitState("e", JobState.WAITING);
    for (String job : quarters) {
      headgate.jobs().cancel(job);
      headgate.awaitState(job, JobState.CANCELLED);
    }
    headgate.awaitState("e", JobState.RUNNING);
    // It may have come into a quarter that was free before the others were.
    assertThat(said("amd", "e"))
        .isIn(
            mode().equals("CPX")
                ? List.of("0 " + 24 * GIB)
                : Stream.of("0", "1", "2", "3").map(place -> place + " " + 48 * GIB).toList());
    headgate.jobs().cancel("e");
    headgate.awaitState("e", JobState.CANCELLED);
  }

  private static String mode() throws IOException {
    return Files.readString(
            directory.resolve("amd/gpus").resolve(AMD_GPU).resolve("current_compute_partition"))
        .strip();
  }
}
