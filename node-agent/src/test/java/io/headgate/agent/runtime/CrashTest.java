package io.headgate.agent.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.headgate.agent.Processes;
import io.headgate.agent.core.AbortCallback;
import io.headgate.agent.core.Assignment;
import io.headgate.agent.core.AttemptReport;
import io.headgate.agent.core.AttemptState;
import io.headgate.agent.core.EndReason;
import io.headgate.agent.core.Fixtures;
import io.headgate.agent.core.Input;
import io.headgate.agent.core.IsolationLevel;
import io.headgate.agent.core.SliceGrant;
import io.headgate.agent.core.SlicePlace;
import io.headgate.agent.core.StopOrder;
import io.headgate.agent.driver.nvml.FakeGpus;
import io.headgate.agent.driver.nvml.NvmlSteps;
import io.headgate.agent.driver.rocm.FakeAmdGpus;
import io.headgate.agent.driver.rocm.RocmSteps;
import io.headgate.agent.kubernetes.StandInCluster;
import io.headgate.agent.process.AttemptLock;
import io.headgate.agent.process.Cgroups;
import io.headgate.agent.process.NeededWalls;
import io.headgate.agent.runtime.CrashingAgent.Machine;
import io.headgate.agent.runtime.ledger.Failpoint;
import io.headgate.kit.testing.Needed;
import io.headgate.kit.testing.TestJvm;
import io.headgate.type.GpuQuantity;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/// A test kills the agent at every step of the ledger and of making and removing slices, and starts
/// it again. The job then has run exactly once and its exit code is exact. Its slices exist on the
/// GPUs as long as it runs, and not afterwards.
@Execution(ExecutionMode.CONCURRENT)
class CrashTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Set<NvmlSteps.Step> MAKING =
      EnumSet.of(
          NvmlSteps.Step.MIG_TURNED_ON,
          NvmlSteps.Step.GPU_INSTANCE_MADE,
          NvmlSteps.Step.COMPUTE_INSTANCE_MADE,
          NvmlSteps.Step.LIMIT_SET,
          NvmlSteps.Step.DAEMON_STARTED,
          NvmlSteps.Step.SERVER_MADE,
          NvmlSteps.Step.NAMESPACE_MADE,
          NvmlSteps.Step.DAEMON_LIMITED);
  private static final Set<NvmlSteps.Step> OF_MPS =
      EnumSet.range(NvmlSteps.Step.DAEMON_STARTED, NvmlSteps.Step.DAEMON_STOPPED);
  private static final Set<NvmlSteps.Step> OF_NAMESPACES =
      EnumSet.of(NvmlSteps.Step.SERVER_MADE, NvmlSteps.Step.NAMESPACE_MADE);

  private static final String AMD_REGION = "drm/0000:0d:00.0/vram";

  @TempDir Path data;
  private FakeGpus gpus;
  private FakeAmdGpus amdGpus;
  private Path amdLimit;

  /// One GPU that MIG divides once the agent has turned MIG on, and one whose driver limits memory
  /// by cgroup. The first also has an instance that is not the agent's.
  private void install() {
    gpus = FakeGpus.in(data, FakeGpus.Version.V615).with(false).with(false);
    gpus.capability(1, 8);
    gpus.instance(0, 9, 0, 4);
  }

  /// One GPU that is shared by MPS, in the latest protocol that the driver has.
  private void installShared(FakeGpus.Version driver) throws Exception {
    Files.createDirectory(data.resolve("mps"));
    gpus = FakeGpus.in(data, driver).with(false);
  }

  /// One GPU with modes, and one whose memory the kernel limits by cgroup.
  private void installAmd() throws Exception {
    amdGpus = FakeAmdGpus.in(data).withMi300x().withMi210();
    Path cgroups = Files.createDirectory(data.resolve("cgroups"));
    Files.writeString(cgroups.resolve("dmem.capacity"), AMD_REGION + " 68719476736\n");
    // The kernel makes these with their directories.
    Files.createFile(
        Files.createDirectory(cgroups.resolve("headgate-dmem-probe")).resolve("dmem.max"));
    amdLimit =
        Files.createFile(
            Files.createDirectory(cgroups.resolve("acme.job.1.0")).resolve("dmem.max"));
  }

  /// The failpoints that an attempt passes, in a pod or not. A new one is among them, and fails the
  /// test where no attempt passes it.
  private static Stream<Failpoint> failpoints() {
    return Arrays.stream(Failpoint.values())
        .filter(point -> point != Failpoint.AFTER_REFUSAL_RECORD)
        .filter(point -> !Failpoint.OF_GANGS.contains(point))
        .filter(point -> !Failpoint.OF_SUSPENSIONS.contains(point));
  }

  /// The failpoints from the record of slices to the launch, and around their release, as far as
  /// attempts outside pods pass them.
  private static Stream<Failpoint> aroundSlices() {
    Set<Failpoint> making = EnumSet.range(Failpoint.AFTER_SLICE_RECORD, Failpoint.AFTER_LAUNCH);
    Set<Failpoint> removing = EnumSet.range(Failpoint.BEFORE_RELEASE, Failpoint.AFTER_RELEASE);
    return Stream.of(making, removing)
        .flatMap(Set::stream)
        .filter(point -> !Failpoint.OF_GANGS.contains(point))
        .filter(point -> !Failpoint.OF_PODS.contains(point));
  }

  private static boolean isWhileStopping(Failpoint point) {
    return point.compareTo(Failpoint.AFTER_STOP_SENT) >= 0;
  }

  private static Stream<Arguments> steps() {
    return Stream.concat(
        failpoints()
            .filter(point -> !Failpoint.OF_PODS.contains(point))
            .map(point -> Arguments.of(point.name(), isWhileStopping(point))),
        Arrays.stream(NvmlSteps.Step.values())
            .filter(step -> !OF_MPS.contains(step))
            .map(step -> Arguments.of(step.name(), !MAKING.contains(step))));
  }

  private static Stream<Arguments> stepsOfMps() {
    return Stream.concat(
        aroundSlices()
            .map(
                point -> Arguments.of(FakeGpus.Version.V580, point.name(), isWhileStopping(point))),
        OF_MPS.stream()
            .flatMap(step ->
                Stream.of(FakeGpus.Version.values())
                    .filter(
                        driver -> driver == FakeGpus.Version.V615 || !OF_NAMESPACES.contains(step))
                    .map(driver -> Arguments.of(driver, step.name(), !MAKING.contains(step)))));
  }

  private static Stream<Arguments> stepsOfAmd() {
    return Stream.concat(
        aroundSlices().map(point -> Arguments.of(point.name(), isWhileStopping(point))),
        Arrays.stream(RocmSteps.Step.values())
            .map(step -> Arguments.of(step.name(), step == RocmSteps.Step.LIMIT_CLEARED)));
  }

  private static List<SliceGrant> slices(Machine machine) {
    return switch (machine) {
      case SHARED -> List.of(half(0, FakeGpus.uuid(0)));
      case DIVIDED ->
          List.of(
              new SliceGrant(
                  0,
                  FakeGpus.uuid(0),
                  GpuQuantity.parse("1/7"),
                  0,
                  Optional.of(new SlicePlace("1g.10gb", 6, 1))),
              half(1, FakeGpus.uuid(1)));
      case AMD ->
          List.of(
              new SliceGrant(
                  0,
                  FakeAmdGpus.uuid(0),
                  GpuQuantity.parse("1/4"),
                  0,
                  Optional.of(new SlicePlace("QPX", 4, 2))),
              half(1, FakeAmdGpus.uuid(1)));
    };
  }

  private static SliceGrant half(int index, String uuid) {
    return new SliceGrant(index, uuid, GpuQuantity.parse("1/2"), 0);
  }

  /// A job.
  ///
  /// @param stopAfter it must not start when contact was lost for longer than this
  static Input assigned(Machine machine, Optional<Duration> stopAfter) {
    return assigned(slices(machine), 0, stopAfter);
  }

  /// A job that has all of the GPU that is not divided.
  static Input assignedWhole() {
    return assigned(
        List.of(new SliceGrant(1, FakeGpus.uuid(1), GpuQuantity.ONE, 0)),
        4 * FakeGpus.GIB,
        Optional.empty());
  }

  private static Input assigned(
      List<SliceGrant> slices, long memoryBytes, Optional<Duration> stopAfter) {
    return new Input.Assigned(
        Fixtures.LEADER,
        new Assignment(
            Fixtures.key("job"),
            1,
            "half",
            slices,
            0,
            memoryBytes,
            List.of(
                "bash",
                "-c",
                """
                exec 9<> <(:)
                trap 'exit 23' TERM
                echo "$ROCR_VISIBLE_DEVICES" > "$HEADGATE_CHECKPOINT_DIR/visible"
                echo started >> "$HEADGATE_CHECKPOINT_DIR/starts"
                until [ -e "$HEADGATE_CHECKPOINT_DIR/go" ]; do read -t 0.02 -u 9; done
                exit 17
                """),
            new TreeMap<>(),
            Optional.empty(),
            Optional.empty(),
            AbortCallback.NONE,
            Duration.ofSeconds(20),
            stopAfter,
            "",
            false,
            IsolationLevel.NONE,
            "ada",
            Optional.empty(),
            Optional.empty(),
            false),
        Fixtures.NOW);
  }

  static Input ordered(StopOrder order) {
    return new Input.StopOrdered(Fixtures.LEADER, Fixtures.key("job"), order, Fixtures.NOW);
  }

  @ParameterizedTest
  @MethodSource("steps")
  void runsTheJobOnceWhereverTheAgentIsKilled(String step, boolean whileStopping) throws Exception {
    install();
    runTheJobOnce(step, whileStopping);
  }

  @ParameterizedTest
  @MethodSource("stepsOfMps")
  void andItsMpsDaemonIsThereForAsLongAsIt(
      FakeGpus.Version driver, String step, boolean whileStopping) throws Exception {
    installShared(driver);
    runTheJobOnce(step, whileStopping);
    if (!whileStopping) {
      assertThat(gpus.calls().stream().filter(("mps-start " + FakeGpus.uuid(0))::equals))
          .as("two agents tried it, and the job had one")
          .hasSize(3);
    }
  }

  @ParameterizedTest
  @CsvSource({"LIMIT_SET, false", "DAEMON_STOPPED, true"})
  void andOfASliceThatACgroupAndADaemonHoldTheHalfThatIsThere(String step, boolean whileStopping)
      throws Exception {
    installShared(FakeGpus.Version.V615);
    Files.createDirectory(data.resolve("cgroups"));
    runTheJobOnce(step, whileStopping);
    assertThat(gpus.limits(0)).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("stepsOfAmd")
  void andOfAmdsGpusItHasItsPartitionAndItsLimit(String step, boolean whileStopping)
      throws Exception {
    installAmd();
    runTheJobOnce(step, whileStopping);
  }

  @ParameterizedTest
  @MethodSource("failpoints")
  void andOfPodsToo(Failpoint point) throws Exception {
    NeededWalls.demand(data);
    install();
    try (StandInCluster cluster = new StandInCluster(data)) {
      Files.writeString(data.resolve("cluster"), cluster.uri().toString());
      runTheJobOnce(point.name(), isWhileStopping(point));
      assertThat(cluster.pods()).isEmpty();
      assertThat(data.resolve("cdi")).isEmptyDirectory();
      assertThat(
              cluster.calls.stream()
                  .map(call -> call.split(" "))
                  .filter(call -> call[0].equals("POST"))
                  .distinct())
          .as("one pod, asked for twice at most")
          .hasSizeLessThanOrEqualTo(2);
    }
  }

  private static Stream<Failpoint> stepsOfSuspensions() {
    return Failpoint.OF_SUSPENSIONS.stream();
  }

  @ParameterizedTest
  @MethodSource("stepsOfSuspensions")
  void suspendsItAllTheSameAndLosesNothing(Failpoint step) throws Exception {
    Cgroups tried = Cgroups.discover("suspension-test-" + step.ordinal());
    tried.removeIfEmpty();
    Needed.CGROUPS.demand(tried.areAvailable());
    install();
    var _ = gpus.checkpoint();
    die(step.name(), "suspend");

    try (Agent agent = CrashingAgent.open(data)) {
      agent.start();
      agent.post(ordered(new StopOrder(StopOrder.Kind.PREEMPT, false, 8)));
      await().atMost(PATIENCE).until(() -> report(agent).suspension() == 8);
      assertThat(gpus.users(1)).as("nothing of it is on the GPU").isEmpty();
      agent.post(new Input.ResumeOrdered(Fixtures.LEADER, Fixtures.key("job"), Fixtures.NOW));
      await().atMost(PATIENCE).until(() -> report(agent).state() == AttemptState.RUNNING);
      assertThat(gpus.users(1)).containsExactly(CrashingAgent.process(data));
      Path checkpoints = data.resolve("checkpoints/acme/job");
      Files.createFile(checkpoints.resolve("go"));
      await().atMost(PATIENCE).until(() -> report(agent).state() == AttemptState.ENDED);
      assertThat(report(agent).end().orElseThrow().exitCode()).hasValue(17);
      assertThat(Files.readString(checkpoints.resolve("starts"))).isEqualTo("started\n");
    }
  }

  private void runTheJobOnce(String step, boolean whileStopping) throws Exception {
    Machine machine = Machine.in(data);
    die(step, whileStopping ? "stop" : "run");

    try (Agent agent = CrashingAgent.open(data)) {
      agent.start();
      // As a scheduler does that does not know how far it came.
      agent.post(assigned(machine, Optional.empty()));
      Path checkpoints = data.resolve("checkpoints/acme/job");
      if (whileStopping) {
        agent.post(ordered(new StopOrder(StopOrder.Kind.PREEMPT, false)));
      } else {
        await().atMost(PATIENCE).until(() -> Files.exists(checkpoints.resolve("starts")));
        assertItsSlicesAreMade(machine);
        Files.createFile(checkpoints.resolve("go"));
      }
      await().atMost(PATIENCE).until(() -> report(agent).state() == AttemptState.ENDED);

      AttemptReport.End end = report(agent).end().orElseThrow();
      assertThat(end.exitCode()).isEqualTo(OptionalInt.of(whileStopping ? 23 : 17));
      assertThat(end.reason()).isEqualTo(whileStopping ? EndReason.STOPPED : EndReason.EXITED);
      assertThat(Files.readString(checkpoints.resolve("starts"))).isEqualTo("started\n");
      assertThat(agent.updatesAfter(0, 100))
          .extracting(update -> update.report().state())
          .endsWith(AttemptState.ENDED);
      assertThat(data.resolve("attempts/acme.job.1.0"))
          .as("what may hold secrets is gone, whenever the crash came")
          .isDirectoryNotContaining("glob:**/{assignment,env,argv,callback}");
      assertNothingIsMade();
    }
  }

  private void assertItsSlicesAreMade(Machine machine) {
    switch (machine) {
      case SHARED -> {
        assertThat(mps()).as("a daemon, with namespaces also its server").isNotEmpty();
        assertThat(gpus.limits(0)).hasSize(Files.exists(data.resolve("cgroups")) ? 1 : 0);
      }
      case DIVIDED -> {
        assertThat(gpus.instances(0)).containsExactly("1g.10gb@6", "3g.40gb@0 alone");
        assertThat(gpus.limits(1)).singleElement().asString().startsWith("acme.job.1.0 ");
      }
      case AMD -> {
        assertThat(amdGpus.mode(0)).isEqualTo("QPX");
        assertThat(amdLimit).content().startsWith(AMD_REGION + " " + 32 * FakeAmdGpus.GIB + "\n");
        assertThat(data.resolve("checkpoints/acme/job/visible"))
            .as("the third of four partitions, and the other GPU by its name")
            .hasContent("2," + FakeAmdGpus.uuid(1));
      }
    }
  }

  private void assertNothingIsMade() throws Exception {
    switch (Machine.in(data)) {
      case SHARED -> {
        assertThat(mps()).isEmpty();
        assertThat(data.resolve("mps")).isEmptyDirectory();
      }
      case DIVIDED -> {
        assertThat(gpus.instances(0)).containsExactly("3g.40gb@0 alone");
        assertThat(gpus.limits(1)).isEmpty();
      }
      // An idle GPU keeps its mode.
      case AMD -> assertThat(amdLimit).content().startsWith(AMD_REGION + " max\n");
    }
  }

  /// Processes of MPS.
  private List<Long> mps() {
    return Processes.withEntry("CUDA_MPS_LOG_DIRECTORY=" + data);
  }

  @Test
  void givesUpForGoodWhatItHadGivenUpWhenItWasKilled() throws Exception {
    install();
    die(Failpoint.AFTER_REFUSAL_RECORD.name(), "late");

    try (Agent agent = CrashingAgent.open(data)) {
      agent.start();
      agent.post(assigned(Machine.DIVIDED, Optional.empty()));
      await().atMost(PATIENCE).until(() -> report(agent).state() == AttemptState.ENDED);

      assertThat(report(agent).end().orElseThrow().reason()).isEqualTo(EndReason.OUT_OF_CONTACT);
      assertThat(data.resolve("checkpoints/acme/job/starts")).doesNotExist();
      assertNothingIsMade();
    }
  }

  @Test
  void givesUpEverythingThatRanBeforeAReboot() throws Exception {
    install();
    try (Agent agent = CrashingAgent.open(data)) {
      agent.start();
      agent.post(assigned(Machine.DIVIDED, Optional.empty()));
      await().atMost(PATIENCE).until(() -> report(agent).started().isPresent());
    }
    try (Agent agent = CrashingAgent.open(data, "another-boot")) {
      agent.start();
      assertThat(report(agent).end().orElseThrow().reason()).isEqualTo(EndReason.LOST);
      assertThat(report(agent).end().orElseThrow().error()).hasValue("the machine was restarted");
    }
    // There was no reboot, so the job is still there to be ended.
    Files.createFile(data.resolve("checkpoints/acme/job/go"));
    Path attempt = data.resolve("attempts/acme.job.1.0");
    await().atMost(PATIENCE).until(() -> !AttemptLock.isHeld(attempt));
  }

  private void die(String step, String what) throws Exception {
    List<String> command = TestJvm.command();
    command.addAll(
        List.of(
            "-D" + Failpoint.PROPERTY + "=" + step,
            "-Dheadgate.log.level=WARN",
            "-Dheadgate.test.fakes=" + System.getProperty("headgate.test.fakes"),
            "-cp",
            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
            CrashingAgent.class.getName(),
            data.toString(),
            what));
    Process agent =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(new File("/dev/null"))
            .start();
    try {
      assertThat(agent.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS))
          .as("%s is reached", step)
          .isTrue();
      assertThat(agent.exitValue()).isEqualTo(137);
    } finally {
      agent.destroyForcibly().waitFor();
    }
  }

  private static AttemptReport report(Agent agent) throws Exception {
    return agent.reports().get().stream()
        .filter(report -> report.key().equals(Fixtures.key("job")))
        .findFirst()
        .orElseThrow();
  }
}
