package io.headgate.agent.driver.nvml;

import static io.headgate.agent.driver.nvml.MpsSlicesTest.cuda;
import static io.headgate.agent.driver.nvml.MpsSlicesTest.daemon;
import static io.headgate.agent.driver.nvml.MpsSlicesTest.lives;
import static io.headgate.agent.driver.nvml.MpsSlicesTest.signal;
import static io.headgate.agent.driver.nvml.NvmlDriverFixture.open;
import static io.headgate.agent.driver.nvml.NvmlDriverFixture.part;
import static io.headgate.agent.driver.nvml.NvmlDriverFixture.plan;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.headgate.agent.Processes;
import io.headgate.agent.core.DeviceSign;
import io.headgate.agent.core.IsolationLevel;
import io.headgate.agent.driver.GpuDriverException;
import io.headgate.agent.driver.KernelDevices;
import io.headgate.agent.driver.SlicePlan;
import io.headgate.agent.driver.nvml.FakeGpus.Version;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Parts of GPUs by MPS, in the third protocol: real processes of a daemon that is not NVIDIA's.
class MpsNamespacesTest {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final Duration SHORT = Duration.ofSeconds(3);
  private static final List<MpsProtocol> AUTO = List.of(MpsProtocol.V3, MpsProtocol.V2);

  @TempDir Path root;
  private FakeGpus gpus;

  @BeforeEach
  void install() {
    gpus = FakeGpus.in(root, Version.V615).with(false);
  }

  @AfterEach
  void leaveNothing() {
    try (NvmlGpuDriver driver = open(settings(AUTO))) {
      driver.recover(List.of());
    }
    if (Files.exists(root.resolve("mps"))) {
      assertThat(root.resolve("mps")).isEmptyDirectory();
    }
    assertThat(Processes.withEntry("CUDA_MPS_LOG_DIRECTORY=" + root)).isEmpty();
  }

  private NvmlGpuDriver.Settings settings(List<MpsProtocol> protocols) {
    return settings(protocols, LONG, false);
  }

  private NvmlGpuDriver.Settings settings(
      List<MpsProtocol> protocols, Duration patience, boolean compute) {
    return new NvmlGpuDriver.Settings(
        gpus.library().toString(),
        LONG,
        MigSettings.KEEP,
        _ -> Optional.empty(),
        new MpsSettings(
            protocols, FakeGpus.mpsControl(), root.resolve("mps"), patience, 0, compute),
        KernelDevices.HERE);
  }

  /// The daemon's directory of sockets.
  private static Path pipe(NvmlGpuDriver driver, SlicePlan slice) {
    Path namespace = MpsSlicesTest.pipe(driver, slice);
    assertThat(namespace.endsWith("pipe/slice/job")).isTrue();
    return namespace.resolve("../..").normalize();
  }

  private static boolean isV3(NvmlGpuDriver driver, SlicePlan slice) {
    return MpsSlicesTest.pipe(driver, slice).endsWith("pipe/slice/job");
  }

  @Test
  void holdsEachProcessToTheLimitsOfItsNamespace() throws Exception {
    try (NvmlGpuDriver driver = open(settings(AUTO, LONG, true))) {
      assertThat(driver.devices().getFirst().isolation()).isEqualTo(IsolationLevel.DRIVER_PROCESS);
      SlicePlan half = plan(driver, "a", part(0, "1/2"));
      SlicePlan third = plan(driver, "b", part(0, "1/3"));
      driver.realise(half);
      driver.realise(third);
      Map<String, String> environment = driver.environment(List.of(half));
      assertThat(environment)
          .as("the namespace has the limits, and nothing that a program could misspell")
          .containsOnlyKeys(
              "CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES", "CUDA_MPS_PIPE_DIRECTORY");
      assertThat(cuda(environment, "40448")).isEqualTo("mps limit=40448 threads=50\nallocated");
      assertThat(cuda(environment, "40449")).isEqualTo("mps limit=40448 threads=50\nout of memory");
      assertThat(cuda(driver.environment(List.of(third)))).isEqualTo("mps limit=26965 threads=34");
      Path besides = pipe(driver, half).resolve("slice/default");
      assertThat(cuda(Map.of("CUDA_MPS_PIPE_DIRECTORY", besides.toString())))
          .as("who names no namespace has no more")
          .isEqualTo("mps limit=40448 threads=50");
      assertThat(driver.paths(List.of(half)).shown())
          .containsExactly(pipe(driver, half).resolve("slice/job"));
      assertThat(gpus.calls())
          .contains(
              "mps-command server create slice --allowed-devices=" + FakeGpus.uuid(0),
              "mps-command namespace create job --server=slice");
      driver.release(half);
      assertThat(cuda(driver.environment(List.of(third))))
          .as("the other is not touched")
          .isEqualTo("mps limit=26965 threads=34");
      driver.release(third);
      driver.release(third);
    }
  }

  /// Where the driver limits memory by cgroup.
  private NvmlGpuDriver.Settings withCgroups(boolean compute) {
    NvmlGpuDriver.Settings shared = settings(AUTO, LONG, compute);
    return new NvmlGpuDriver.Settings(
        shared.library(),
        LONG,
        MigSettings.KEEP,
        name -> Optional.of(root.resolve("cgroups").resolve(name)),
        shared.mps(),
        KernelDevices.HERE);
  }

  @Test
  void limitsProcessorsBesideTheMemoryThatACgroupHasIfAskedTo() throws Exception {
    SlicePlan slice;
    try (NvmlGpuDriver driver = open(withCgroups(true))) {
      assertThat(driver.devices().getFirst().isolation())
          .isEqualTo(IsolationLevel.DRIVER_CONTAINER);
      slice = made(driver);
      assertThat(slice.mechanism()).isEqualTo("cgroup+mps");
      assertThat(slice.isolation()).isEqualTo(IsolationLevel.DRIVER_CONTAINER);
      assertThat(gpus.limits(0)).singleElement().asString().startsWith("acme.a.1.0 ");
      assertThat(cuda(driver.environment(List.of(slice)), "80000"))
          .as("memory is the cgroup's to refuse")
          .isEqualTo("mps limit=0 threads=50\nallocated");
      assertThat(driver.paths(List.of(slice)).shown())
          .containsExactly(pipe(driver, slice).resolve("slice/job"));
      signal("KILL", daemon(pipe(driver, slice)));
      await().atMost(LONG).until(() -> !driver.read(FakeGpus.uuid(0)).signs().isEmpty());
      assertThat(driver.read(FakeGpus.uuid(0)).signs())
          .as("its memory is the cgroup's still")
          .containsExactly(new DeviceSign.SliceUnguarded(slice.name(), false));
    }
    int before = gpus.calls().size();
    try (NvmlGpuDriver driver = open(withCgroups(false))) {
      assertThat(plan(driver, "b", part(0, "1/2")).mechanism()).isEqualTo("cgroup");
      assertThat(gpus.calls().subList(before, gpus.calls().size()))
          .as("unasked, no daemon is tried")
          .noneMatch(call -> call.startsWith("mps-"));
      driver.recover(List.of(slice));
      driver.realise(slice);
      assertThat(cuda(driver.environment(List.of(slice)))).isEqualTo("mps limit=0 threads=50");
      driver.release(slice);
      assertThat(gpus.limits(0)).isEmpty();
    }
  }

  @Test
  void endsADaemonBesideACgroupWhoseGpuIsGone() throws Exception {
    SlicePlan slice;
    try (NvmlGpuDriver driver = open(withCgroups(true))) {
      slice = made(driver);
    }
    gpus.isLost(0);
    try (NvmlGpuDriver driver = open(withCgroups(false))) {
      driver.release(slice);
    }
    assertThat(Processes.withEntry("CUDA_MPS_LOG_DIRECTORY=" + root)).isEmpty();
    gpus.isBack(0);
  }

  @Test
  void asksNoProtocolBesideACgroupThatLimitsMemoryItself() {
    gpus.fault("mps-v3", 1, 1);
    try (NvmlGpuDriver driver = open(withCgroups(true))) {
      assertThat(plan(driver, "a", part(0, "1/2")).mechanism()).isEqualTo("cgroup");
      assertThat(gpus.calls())
          .as("the second was not tried")
          .noneMatch(call -> call.contains("set_default_device_pinned_mem_limit"));
    }
  }

  @Test
  void leavesAllProcessorsToEachUnlessAskedTo() throws Exception {
    try (NvmlGpuDriver driver = open(settings(AUTO))) {
      SlicePlan slice = plan(driver, "a", part(0, "1/2"));
      driver.realise(slice);
      assertThat(cuda(driver.environment(List.of(slice)))).isEqualTo("mps limit=40448 threads=100");
      driver.release(slice);
    }
  }

  @Test
  void speaksTheProtocolThatIsAskedForAndWorks() {
    try (NvmlGpuDriver driver = open(settings(List.of(MpsProtocol.V2)))) {
      assertThat(isV3(driver, made(driver))).as("as asked").isFalse();
    }
    gpus.fault("mps-v3", 1, 1);
    try (NvmlGpuDriver driver = open(settings(AUTO))) {
      assertThat(isV3(driver, made(driver))).as("it does not work").isFalse();
    }
    gpus.fault("mps-v3", 1, 1);
    try (NvmlGpuDriver driver = open(settings(List.of(MpsProtocol.V3)))) {
      assertThat(driver.devices().getFirst().isolation()).isEqualTo(IsolationLevel.REACTIVE);
    }
    try (NvmlGpuDriver driver = open(settings(List.of(MpsProtocol.V3)))) {
      assertThat(isV3(driver, made(driver))).isTrue();
    }
  }

  private static SlicePlan made(NvmlGpuDriver driver) {
    SlicePlan slice = plan(driver, "a", part(0, "1/2"));
    driver.realise(slice);
    return slice;
  }

  @Test
  void demandsADriverThatHasIt() throws Exception {
    Path other = Files.createDirectory(root.resolve("other"));
    gpus = FakeGpus.in(other, Version.V580).with(false);
    try (NvmlGpuDriver driver = open(settings(List.of(MpsProtocol.V3)))) {
      assertThat(driver.devices().getFirst().isolation()).isEqualTo(IsolationLevel.REACTIVE);
      assertThat(gpus.calls()).isEmpty();
    }
  }

  @Test
  void aServerThatVanishesWithoutAWordFailsTheSlice() {
    try (NvmlGpuDriver driver = open(settings(AUTO))) {
      SlicePlan slice = plan(driver, "a", part(0, "1/2"));
      gpus.fault("mps-vanish", 1, 1);
      assertThatExceptionOfType(GpuDriverException.class)
          .isThrownBy(() -> driver.realise(slice))
          .withMessage("the MPS daemon refused a command: ended with 1: No such server: slice");
      driver.realise(slice);
      driver.release(slice);
    }
  }

  @Test
  void findsItAgainAndMakesOnlyWhatIsMissing() throws Exception {
    SlicePlan slice;
    ProcessHandle daemon;
    try (NvmlGpuDriver driver = open(settings(AUTO))) {
      slice = made(driver);
      daemon = daemon(pipe(driver, slice));
    }
    int before = gpus.calls().size();
    try (NvmlGpuDriver driver = open(settings(List.of()))) {
      driver.recover(List.of(slice));
      driver.realise(slice);
      assertThat(daemon(pipe(driver, slice))).isEqualTo(daemon);
      List<String> since = gpus.calls().subList(before, gpus.calls().size());
      assertThat(since).noneMatch(call -> call.contains(" create "));

      daemon.children().forEach(ProcessHandle::destroyForcibly);
      await().atMost(LONG).until(() -> daemon.children().noneMatch(MpsSlicesTest::lives));
      driver.realise(slice);
      assertThat(cuda(driver.environment(List.of(slice))))
          .as("a server that has vanished since")
          .startsWith("mps limit=40448 ");
      driver.release(slice);
      assertThat(lives(daemon)).isFalse();
    }
  }

  @Test
  void keepsASliceThatAnEarlierAgentMadeInTheOtherProtocol() throws Exception {
    SlicePlan slice;
    try (NvmlGpuDriver driver = open(settings(List.of(MpsProtocol.V2)))) {
      slice = made(driver);
    }
    try (NvmlGpuDriver driver = open(settings(AUTO))) {
      driver.recover(List.of(slice));
      driver.realise(slice);
      assertThat(cuda(driver.environment(List.of(slice)))).startsWith("mps limit=40448 ");
      driver.release(slice);
    }
  }

  @Test
  void saysThatADaemonHasDiedAndStartsAnotherAtTheNextStart() throws Exception {
    SlicePlan slice;
    try (NvmlGpuDriver driver = open(settings(AUTO))) {
      slice = made(driver);
      assertThat(driver.read(FakeGpus.uuid(0)).signs()).isEmpty();
      signal("KILL", daemon(pipe(driver, slice)));
      await().atMost(LONG).until(() -> !driver.read(FakeGpus.uuid(0)).signs().isEmpty());
      assertThat(driver.read(FakeGpus.uuid(0)).signs())
          .containsExactly(new DeviceSign.SliceUnguarded(slice.name(), true));
    }
    try (NvmlGpuDriver driver = open(settings(AUTO))) {
      driver.realise(slice);
      assertThat(driver.read(FakeGpus.uuid(0)).signs()).isEmpty();
      assertThat(cuda(driver.environment(List.of(slice)))).startsWith("mps limit=40448 ");
      driver.release(slice);
    }
  }

  @Test
  void saysThatAServerHasVanishedFromUnderItsSlice() throws Exception {
    try (NvmlGpuDriver driver = open(settings(AUTO))) {
      SlicePlan slice = made(driver);
      SlicePlan other = plan(driver, "b", part(0, "1/4"));
      driver.realise(other);
      assertThat(driver.read(FakeGpus.uuid(0)).signs()).isEmpty();
      daemon(pipe(driver, slice)).children().forEach(ProcessHandle::destroyForcibly);
      await().atMost(LONG).until(() -> !driver.read(FakeGpus.uuid(0)).signs().isEmpty());
      assertThat(driver.read(FakeGpus.uuid(0)).signs())
          .containsExactly(new DeviceSign.SliceUnguarded(slice.name(), true));
      driver.release(slice);
      assertThat(driver.read(FakeGpus.uuid(0)).signs()).isEmpty();
      driver.release(other);
    }
  }

  @Test
  void aDaemonThatDoesNotSayHasLostNothing() {
    try (NvmlGpuDriver driver = open(settings(AUTO))) {
      SlicePlan slice = made(driver);
      gpus.fault("mps-command", 7, 1);
      assertThat(driver.read(FakeGpus.uuid(0)).signs()).isEmpty();
      assertThat(driver.read(FakeGpus.uuid(0)).signs()).as("nor had it then").isEmpty();
      driver.release(slice);
    }
  }

  @Test
  void killsADaemonThatHangsWhenItsSliceIsReleased() throws Exception {
    try (NvmlGpuDriver driver = open(settings(AUTO, SHORT, false))) {
      SlicePlan slice = made(driver);
      ProcessHandle daemon = daemon(pipe(driver, slice));
      signal("STOP", daemon);
      driver.release(slice);
      assertThat(lives(daemon)).isFalse();
    }
  }
}
