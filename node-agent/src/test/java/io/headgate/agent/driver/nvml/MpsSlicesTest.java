package io.headgate.agent.driver.nvml;

import static io.headgate.agent.driver.nvml.NvmlDriverFixture.open;
import static io.headgate.agent.driver.nvml.NvmlDriverFixture.part;
import static io.headgate.agent.driver.nvml.NvmlDriverFixture.plan;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.headgate.agent.Processes;
import io.headgate.agent.core.DeviceSign;
import io.headgate.agent.core.Fixtures;
import io.headgate.agent.core.IsolationLevel;
import io.headgate.agent.driver.GpuDriverException;
import io.headgate.agent.driver.KernelDevices;
import io.headgate.agent.driver.SlicePaths;
import io.headgate.agent.driver.SlicePlan;
import io.headgate.agent.driver.nvml.FakeGpus.Version;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Parts of GPUs by MPS, in the second protocol: real processes of a daemon that is not NVIDIA's.
class MpsSlicesTest {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final Duration SHORT = Duration.ofSeconds(3);
  private static final long MIB = 1L << 20;
  private static final List<MpsProtocol> BOTH = List.of(MpsProtocol.V3, MpsProtocol.V2);

  @TempDir Path root;
  private FakeGpus gpus;
  private Path directory;

  @BeforeEach
  void install() {
    gpus = FakeGpus.in(root, Version.V580).with(false).with(false);
    directory = root.resolve("mps");
  }

  @AfterEach
  void leaveNothing() throws Exception {
    try (NvmlGpuDriver driver = open(settings(LONG, 0, false))) {
      driver.recover(List.of());
    }
    assertNothingIsLeft();
  }

  private NvmlGpuDriver.Settings settings(Duration patience, long reserve, boolean compute) {
    return settings(
        new MpsSettings(BOTH, FakeGpus.mpsControl(), directory, patience, reserve, compute));
  }

  private NvmlGpuDriver.Settings settings(MpsSettings mps) {
    return new NvmlGpuDriver.Settings(
        gpus.library().toString(),
        LONG,
        MigSettings.KEEP,
        _ -> Optional.empty(),
        mps,
        KernelDevices.HERE);
  }

  private NvmlGpuDriver opened() {
    return open(settings(LONG, 512 * MIB, false));
  }

  static Path pipe(NvmlGpuDriver driver, SlicePlan slice) {
    return Path.of(
        driver.environment(List.of(slice)).getOrDefault("CUDA_MPS_PIPE_DIRECTORY", "absent"));
  }

  static ProcessHandle daemon(Path pipe) throws IOException {
    String pid = Files.readString(pipe.resolve("nvidia-cuda-mps-control.pid")).strip();
    return ProcessHandle.of(Long.parseLong(pid)).orElseThrow();
  }

  static void signal(String name, ProcessHandle process) throws Exception {
    assertThat(new ProcessBuilder("kill", "-" + name, "" + process.pid()).start().waitFor())
        .isZero();
  }

  /// Runs the CUDA test program with the environment of a slice, and returns its output.
  static String cuda(Map<String, String> environment, String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of(FakeGpus.cudaProgram().toString()));
    command.addAll(Arrays.asList(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().putAll(environment);
    Process program = builder.start();
    String said = new String(program.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    program.waitFor();
    return said.strip();
  }

  private void assertNothingIsLeft() {
    if (Files.exists(directory)) {
      assertThat(directory).isEmptyDirectory();
    }
    assertThat(Processes.withEntry("CUDA_MPS_PIPE_DIRECTORY=" + root)).isEmpty();
  }

  static boolean lives(ProcessHandle process) {
    return Processes.isAlive(process.pid());
  }

  @Test
  void holdsEachProcessToItsPartAndLeavesNothing() throws Exception {
    try (NvmlGpuDriver driver = opened()) {
      assertThat(driver.devices().getFirst().isolation()).isEqualTo(IsolationLevel.DRIVER_PROCESS);
      SlicePlan half = plan(driver, "a", part(0, "1/2"));
      SlicePlan quarter = plan(driver, "b", part(0, "1/4"));
      assertThat(half.mechanism()).isEqualTo("mps");
      assertThat(half.isolation()).isEqualTo(IsolationLevel.DRIVER_PROCESS);
      assertThat(half.memoryLimitBytes()).isEqualTo(79L * 1024 * MIB / 2);
      assertThat(plan(driver, "c", part(0, "1")).mechanism()).isEqualTo("whole");
      driver.requireRoom(List.of(half, quarter));
      driver.realise(half);
      driver.realise(quarter);

      Map<String, String> environment = driver.environment(List.of(half));
      assertThat(environment)
          .containsEntry("CUDA_VISIBLE_DEVICES", FakeGpus.uuid(0))
          .containsEntry("CUDA_MPS_PINNED_DEVICE_MEM_LIMIT", "0=39936M")
          .doesNotContainKey("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE");
      assertThat(cuda(environment, "39936")).isEqualTo("mps limit=39936 threads=100\nallocated");
      assertThat(cuda(driver.environment(List.of(quarter)), "30000"))
          .isEqualTo("mps limit=19712 threads=100\nout of memory");
      assertThat(cuda(Map.of("CUDA_MPS_PIPE_DIRECTORY", pipe(driver, half).toString()), "39937"))
          .as("the daemon holds it, whatever the program's environment says")
          .isEqualTo("mps limit=39936 threads=100\nout of memory");
      assertThat(gpus.calls())
          .contains(
              "mps-start " + FakeGpus.uuid(0),
              "mps-command set_default_device_pinned_mem_limit 0 39936M",
              "mps-command set_default_device_pinned_mem_limit " + FakeGpus.uuid(0) + " 39936M");

      Path pipe = pipe(driver, half);
      assertThat(driver.paths(List.of(half)).hidden()).containsExactly(directory);
      assertThat(driver.paths(List.of(half)).shown()).containsExactly(pipe);
      Path memory = driver.paths(List.of(half)).sharedMemory().orElseThrow();
      assertThat(memory).isDirectory();
      assertThat(driver.paths(List.of()))
          .isEqualTo(new SlicePaths(List.of(directory), List.of(), Optional.empty()));
      driver.release(half);
      assertThat(pipe).doesNotExist();
      assertThat(memory.getParent()).doesNotExist();
      assertThat(cuda(driver.environment(List.of(quarter))))
          .as("the other is not touched")
          .isEqualTo("mps limit=19712 threads=100");
      driver.release(quarter);
      driver.release(quarter);
      assertThat(driver.realisedSlices()).isEmpty();
    }
    assertNothingIsLeft();
  }

  @Test
  void limitsProcessorsOnlyIfAskedTo() throws Exception {
    try (NvmlGpuDriver driver = open(settings(LONG, 0, true))) {
      SlicePlan third = plan(driver, "a", part(0, "1/3"));
      driver.realise(third);
      assertThat(cuda(driver.environment(List.of(third)))).isEqualTo("mps limit=26965 threads=34");
      driver.release(third);
    }
  }

  @Test
  void tellsADaemonsAnswerFromWhatItsOrdersSay() {
    assertThat(MpsLimits.repeatedAtTheEnd("50.0\n39G\n39G")).isEqualTo("39G");
    assertThat(MpsLimits.repeatedAtTheEnd("Device 0:\n10G\nDevice 0:\n10G"))
        .isEqualTo("Device 0:\n10G");
    assertThat(MpsLimits.repeatedAtTheEnd("No device 0\nNo device GPU-1")).isEmpty();
    assertThat(MpsLimits.repeatedAtTheEnd("")).isEmpty();
  }

  @Test
  void promisesItOnlyWhereADaemonWorks() {
    assertThat(isolation(settings(MpsSettings.OFF))).isEqualTo(IsolationLevel.REACTIVE);
    gpus.capability(0, 6);
    assertThat(isolation(settings(LONG, 0, false)))
        .as("an old GPU")
        .isEqualTo(IsolationLevel.REACTIVE);
    gpus.capability(0, 7);
    for (String fault : List.of("mps-start", "mps-command")) {
      gpus.fault(fault, 1, 1);
      assertThat(isolation(settings(LONG, 0, false))).as(fault).isEqualTo(IsolationLevel.REACTIVE);
    }
    MpsSettings absent = new MpsSettings(BOTH, root.resolve("absent"), directory, LONG, 0, false);
    assertThat(isolation(settings(absent))).as("no program").isEqualTo(IsolationLevel.REACTIVE);
    assertThat(isolation(settings(LONG, 0, false))).isEqualTo(IsolationLevel.DRIVER_PROCESS);
  }

  private static IsolationLevel isolation(NvmlGpuDriver.Settings settings) {
    try (NvmlGpuDriver driver = open(settings)) {
      return driver.devices().getFirst().isolation();
    }
  }

  @Test
  void refusesWhatOneDaemonCannotGive() {
    try (NvmlGpuDriver driver = open(settings(LONG, 8L * 1024 * MIB, false))) {
      assertThatExceptionOfType(GpuDriverException.class)
          .isThrownBy(() -> plan(driver, "a", part(0, "1/10")))
          .withMessage("a slice of 8089 MiB is no larger than gpu.mps.reserve, 8192 MiB");
      for (String second : List.of("1/2", "1")) {
        assertThatExceptionOfType(GpuDriverException.class)
            .isThrownBy(
                () -> driver.plan(Fixtures.key("a"), List.of(part(0, "1/2"), part(1, second))))
            .withMessageContaining("one part of one GPU");
      }
    }
  }

  @Test
  void findsADaemonAgainThatHasOutlivedTheAgent() throws Exception {
    SlicePlan slice;
    ProcessHandle daemon;
    try (NvmlGpuDriver driver = opened()) {
      slice = plan(driver, "a", part(0, "1/2"));
      driver.realise(slice);
      daemon = daemon(pipe(driver, slice));
    }
    assertThat(lives(daemon)).isTrue();
    // Also an agent that makes no new ones keeps and removes what there is.
    MpsSettings off = new MpsSettings(List.of(), FakeGpus.mpsControl(), directory, LONG, 0, false);
    try (NvmlGpuDriver driver = open(settings(off))) {
      driver.recover(List.of(slice));
      driver.realise(slice);
      assertThat(daemon(pipe(driver, slice))).isEqualTo(daemon);
      driver.release(slice);
      assertThat(lives(daemon)).isFalse();
    }
    assertNothingIsLeft();
  }

  @Test
  void endsDaemonsThatAreNoJobsAndNoOthers() throws Exception {
    try (NvmlGpuDriver driver = opened()) {
      SlicePlan known = plan(driver, "a", part(0, "1/4"));
      SlicePlan forgotten = plan(driver, "b", part(0, "1/4"));
      driver.realise(known);
      driver.realise(forgotten);
      ProcessHandle gone = daemon(pipe(driver, forgotten));
      driver.recover(List.of(known));
      assertThat(lives(gone)).isFalse();
      assertThat(lives(daemon(pipe(driver, known)))).isTrue();
    }
  }

  @Test
  void saysThatADaemonHasDiedAndStartsAnotherAtTheNextStart() throws Exception {
    SlicePlan slice;
    ProcessHandle daemon;
    try (NvmlGpuDriver driver = opened()) {
      slice = plan(driver, "a", part(0, "1/2"));
      driver.realise(slice);
      assertThat(cuda(driver.environment(List.of(slice)))).startsWith("mps ");
      assertThat(driver.read(FakeGpus.uuid(0)).signs()).isEmpty();
      daemon = daemon(pipe(driver, slice));
      signal("KILL", daemon);
      await().atMost(LONG).until(() -> !driver.read(FakeGpus.uuid(0)).signs().isEmpty());
      assertThat(driver.read(FakeGpus.uuid(0)).signs())
          .containsExactly(new DeviceSign.SliceUnguarded(slice.name(), true));
      assertThat(driver.read(FakeGpus.uuid(1)).signs()).isEmpty();
    }
    try (NvmlGpuDriver driver = opened()) {
      driver.realise(slice);
      assertThat(daemon(pipe(driver, slice))).isNotEqualTo(daemon);
      assertThat(driver.read(FakeGpus.uuid(0)).signs()).isEmpty();
      assertThat(cuda(driver.environment(List.of(slice)))).isEqualTo("mps limit=39936 threads=100");
      signal("KILL", daemon(pipe(driver, slice)));
      driver.release(slice);
      assertThat(driver.read(FakeGpus.uuid(0)).signs()).isEmpty();
    }
    assertNothingIsLeft();
  }

  @Test
  void waitsOnlySoLongForADaemonThatHangsAndKillsItInTheEnd() throws Exception {
    try (NvmlGpuDriver driver = open(settings(SHORT, 0, false))) {
      SlicePlan slice = plan(driver, "a", part(0, "1/2"));
      driver.realise(slice);
      assertThat(cuda(driver.environment(List.of(slice)))).startsWith("mps ");
      ProcessHandle daemon = daemon(pipe(driver, slice));
      signal("STOP", daemon);
      assertThatExceptionOfType(GpuDriverException.class)
          .isThrownBy(() -> driver.realise(slice))
          .withMessage(FakeGpus.mpsControl() + " has not answered for 3.0 s");
      driver.release(slice);
      assertThat(lives(daemon)).isFalse();
    }
    assertNothingIsLeft();
  }

  @Test
  void aDaemonThatDoesNotStartFailsTheSlice() throws Exception {
    try (NvmlGpuDriver driver = open(settings(SHORT, 0, false))) {
      SlicePlan slice = plan(driver, "a", part(0, "1/2"));
      gpus.fault("mps-start", 7, 1);
      assertThatExceptionOfType(GpuDriverException.class)
          .isThrownBy(() -> driver.realise(slice))
          .withMessage(
              "no MPS daemon could be started: %s ended with 1: Failed with 7"
                  .formatted(FakeGpus.mpsControl()));
      gpus.fault("mps-command", 7, 1);
      assertThatExceptionOfType(GpuDriverException.class)
          .isThrownBy(() -> driver.realise(slice))
          .withMessage("the MPS daemon refused a command: ended with 1: Failed with 7");
      gpus.hang("mps-start");
      SlicePlan other = plan(driver, "b", part(0, "1/2"));
      assertThatExceptionOfType(GpuDriverException.class)
          .isThrownBy(() -> driver.realise(other))
          .withMessageContaining("has not answered for 3.0 s");
      gpus.works("mps-start");
      driver.realise(other);
      driver.release(slice);
      driver.release(other);
    }
    assertNothingIsLeft();
  }

  @Test
  void endsADaemonWhoseGpuIsGone() throws Exception {
    SlicePlan slice;
    try (NvmlGpuDriver driver = opened()) {
      slice = plan(driver, "a", part(0, "1/2"));
      driver.realise(slice);
    }
    gpus.isLost(0);
    try (NvmlGpuDriver driver = opened()) {
      driver.release(slice);
    }
    assertNothingIsLeft();
    gpus.isBack(0);
  }

  @Test
  void usesNoMemoryOfOtherProcesses() throws Exception {
    try (NvmlGpuDriver driver = opened()) {
      SlicePlan slice = plan(driver, "a", part(0, "1/2"));
      driver.realise(slice);
      Path memory = driver.paths(List.of(slice)).sharedMemory().orElseThrow().getParent();
      driver.release(slice);
      if (!Files.getAttribute(root, "unix:uid").equals(0)) {
        return;
      }
      Files.createDirectory(memory);
      Files.setAttribute(memory, "unix:uid", 65_534);
      assertThatExceptionOfType(GpuDriverException.class)
          .isThrownBy(() -> driver.realise(slice))
          .withMessageContaining(memory + " belongs to another user");
      Files.delete(memory);
      driver.release(slice);
      assertThat(memory).doesNotExist();
    }
  }
}
