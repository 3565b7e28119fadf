package io.headgate.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.util.Durations;
import io.headgate.agent.driver.nvml.FakeGpus;
import io.headgate.agent.process.AttemptLock;
import io.headgate.agent.process.Cgroups;
import io.headgate.kit.config.Secret;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.testing.Needed;
import io.headgate.kit.time.TimeSource;
import io.headgate.proto.agent.v1.Assign;
import io.headgate.proto.agent.v1.AttemptReport;
import io.headgate.proto.agent.v1.AttemptReport.EndReason;
import io.headgate.proto.agent.v1.AttemptReport.State;
import io.headgate.proto.agent.v1.ConnectResponse;
import io.headgate.proto.agent.v1.Resume;
import io.headgate.proto.agent.v1.Stop;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A whole agent that suspends jobs, with stand-ins for NVIDIA's library and program. The jobs
/// count; the test sets their GPU memory.
class NodeAgentSuspensionTest {
  private static final String COUNTS =
      "exec 9<> <(:); trap 'exit 9' TERM; for ((i = 1; ; i++)); do echo $i > count; read -t 0.01 -u 9; done";

  @TempDir Path root;
  private final FakeControlPlane plane = new FakeControlPlane();
  private FakeGpus gpus;
  private Optional<NodeAgent> agent = Optional.empty();

  @BeforeEach
  void demandCgroups() {
    Cgroups tried = Cgroups.discover("suspension-test");
    tried.removeIfEmpty();
    Needed.CGROUPS.demand(tried.areAvailable());
    gpus = FakeGpus.in(root, FakeGpus.Version.V580).with(false);
  }

  @AfterEach
  void stop() {
    // Else it waits for a while that what it has told is acknowledged.
    plane.acknowledgeAll();
    agent.ifPresent(running -> running.stopJobsAndClose(FakeControlPlane.PATIENCE));
    plane.close();
  }

  private void start(Optional<Path> program) {
    start(program, Duration.ofSeconds(20));
  }

  private void start(Optional<Path> program, Duration patience) {
    int before = plane.hellos.size();
    NodeAgent started =
        new NodeAgent(
            AgentConfig.of(root.resolve("n1"), "n1", plane.uri())
                .withJoinToken(Secret.of(FakeControlPlane.JOIN_TOKEN))
                .withGpus(
                    new GpuConfig(
                        GpuConfig.Driver.NVML,
                        new GpuConfig.Nvml(
                            gpus.library().toString(),
                            FakeControlPlane.PATIENCE,
                            program,
                            patience,
                            GpuConfig.Nvml.Remains.HOLD),
                        GpuConfig.Rocm.DEFAULTS,
                        GpuConfig.Mig.DEFAULTS,
                        GpuConfig.Mps.DEFAULTS,
                        GpuConfig.Watchdog.DEFAULTS,
                        GpuConfig.Health.DEFAULTS)),
            Telemetry.disabled(),
            TimeSource.system());
    agent = Optional.of(started);
    started.start();
    await()
        .atMost(FakeControlPlane.PATIENCE)
        .until(() -> started.isReady() && plane.hellos.size() > before);
  }

  private Assign.Builder whole(String job, String script) {
    return Orders.assign(plane.leadership, job, script)
        .setMemoryBytes(4 * FakeGpus.GIB)
        .addSlices(Orders.slice(plane.registrations.getLast(), 0, "1"));
  }

  /// Runs, and has a GiB of the GPU.
  private void runCounting(Assign.Builder job, String name) throws Exception {
    plane.send(Orders.message(job));
    plane.awaitState(name, State.STATE_RUNNING);
    await().atMost(FakeControlPlane.PATIENCE).until(() -> counted(name) > 0);
    gpus.uses(0, process(name), FakeGpus.GIB);
  }

  private Path attempt(String job) {
    return root.resolve("n1/attempts/acme." + job + ".1.0");
  }

  private long process(String job) throws Exception {
    return Long.parseLong(
        Files.readString(attempt(job).resolve("status"))
            .replaceAll("(?s).*\npid=(\\d+)\n.*", "$1"));
  }

  private int counted(String job) throws Exception {
    Path count = attempt(job).resolve("work/count");
    String text = Files.exists(count) ? Files.readString(count).strip() : "";
    return text.isEmpty() ? 0 : Integer.parseInt(text);
  }

  private ConnectResponse.Builder suspend(String job, long order) {
    return suspend(job, order, false);
  }

  private ConnectResponse.Builder suspend(String job, long order, boolean skipCallback) {
    return ConnectResponse.newBuilder()
        .setStop(
            Stop.newBuilder()
                .setLeadership(plane.leadership)
                .setJob(Orders.name(job))
                .setAttempt(1)
                .setKind(Stop.Kind.KIND_PREEMPT)
                .setSkipCallback(skipCallback)
                .setSuspension(order));
  }

  private ConnectResponse.Builder resume(String job) {
    return ConnectResponse.newBuilder()
        .setResume(
            Resume.newBuilder()
                .setLeadership(plane.leadership)
                .setJob(Orders.name(job))
                .setAttempt(1));
  }

  private AttemptReport awaitSuspension(String job, long order) {
    return plane.awaitReport(
        job,
        report -> report.getState() == State.STATE_SUSPENDED && report.getSuspension() == order);
  }

  @Test
  void keepsAJobForAnotherAndHasItGoOnWhereItWas() throws Exception {
    start(Optional.of(gpus.checkpoint()));
    runCounting(whole("low", COUNTS), "low");
    long process = process("low");
    plane.send(suspend("low", 7));
    AttemptReport suspended = awaitSuspension("low", 7);
    assertThat(suspended.getStopPhase()).isEqualTo("suspend");
    assertThat(suspended.getStopPhaseResult()).isEqualTo("ok");
    assertThat(gpus.users(0)).as("nothing of it is on the GPU").isEmpty();
    int stood = counted("low");

    // Its GPU is another's meanwhile, also for an agent that was started again.
    agent.orElseThrow().close();
    start(Optional.of(gpus.checkpoint()));
    assertThat(plane.hellos.getLast().getAttemptsList())
        .singleElement()
        .matches(
            report -> report.getState() == State.STATE_SUSPENDED && report.getSuspension() == 7);
    plane.send(Orders.message(whole("high", "exit 0")));
    assertThat(plane.awaitEnd("high").getEndReason()).isEqualTo(EndReason.END_REASON_EXITED);
    assertThat(counted("low")).as("it stands still").isEqualTo(stood);

    plane.updates.clear();
    plane.send(resume("low"));
    plane.awaitState("low", State.STATE_RUNNING);
    await().atMost(FakeControlPlane.PATIENCE).until(() -> counted("low") > stood);
    assertThat(process("low")).isEqualTo(process);
    assertThat(gpus.users(0)).containsExactly(Long.toString(process));

    // The next time it is a new order; and what is suspended is killed, for it hears nothing.
    plane.send(suspend("low", 8));
    awaitSuspension("low", 8);
    plane.send(Orders.stop(plane.leadership, "low", Stop.Kind.KIND_CANCEL));
    AttemptReport end = plane.awaitEnd("low");
    assertThat(end.getEndReason()).isEqualTo(EndReason.END_REASON_STOPPED);
    assertThat(end.getExitCode()).isEqualTo(137);
  }

  /// The program that takes the step which hangs, and not the lock before it, which is about to
  /// end.
  private ProcessHandle awaitStep(String action) {
    String program = gpus.checkpoint().toString();
    return await()
        .atMost(FakeControlPlane.PATIENCE)
        .until(
            () ->
                ProcessHandle.current()
                    .children()
                    .filter(child -> child.info().command().equals(Optional.of(program)))
                    .filter(step -> takes(step, action))
                    .findAny(),
            Optional::isPresent)
        .orElseThrow();
  }

  private static boolean takes(ProcessHandle step, String action) {
    return step.info()
        .arguments()
        .filter(arguments -> List.of(arguments).contains(action))
        .isPresent();
  }

  @Test
  void killsAtOnceWhatIsCancelledWithoutItsCallback() throws Exception {
    start(Optional.of(gpus.checkpoint()));
    runCounting(whole("low", COUNTS), "low");
    gpus.hang("checkpoint");
    plane.send(suspend("low", 7));
    ProcessHandle step = awaitStep("checkpoint");
    plane.send(suspend("low", 7, true));
    ConnectResponse.Builder cancel = Orders.stop(plane.leadership, "low", Stop.Kind.KIND_CANCEL);
    cancel.getStopBuilder().setSkipCallback(true);
    plane.send(cancel);
    AttemptReport end = plane.awaitEnd("low");
    assertThat(end.getEndReason()).isEqualTo(EndReason.END_REASON_STOPPED);
    assertThat(end.getExitCode()).as("it was told nothing").isEqualTo(137);
    assertThat(step.isAlive()).as("the step hangs still").isTrue();
    gpus.works("checkpoint");
  }

  @Test
  void killsWhatIsCancelledWhenAStopWouldBeOver() throws Exception {
    start(Optional.of(gpus.checkpoint()));
    runCounting(whole("low", COUNTS).setTerminationGrace(Durations.fromMillis(300)), "low");
    gpus.hang("checkpoint");
    plane.send(suspend("low", 7));
    ProcessHandle step = awaitStep("checkpoint");
    plane.send(Orders.stop(plane.leadership, "low", Stop.Kind.KIND_CANCEL));
    assertThat(plane.awaitEnd("low").getExitCode()).isEqualTo(137);
    assertThat(step.isAlive()).as("the step hangs still").isTrue();
    gpus.works("checkpoint");
  }

  @Test
  void doesNotTryAnOrderAgainThatFailedAlsoAfterARestart() throws Exception {
    start(Optional.of(gpus.checkpoint()));
    gpus.fault("checkpoint", 801, 1);
    // Its callback takes until it is killed.
    runCounting(Orders.withCallback(whole("low", COUNTS), "touch called; sleep 1000"), "low");
    plane.send(suspend("low", 7));
    Path called = attempt("low").resolve("work/called");
    await().atMost(FakeControlPlane.PATIENCE).until(() -> Files.exists(called));
    agent.orElseThrow().close();
    start(Optional.of(gpus.checkpoint()));
    plane.send(suspend("low", 7));
    plane.send(suspend("low", 7, true));
    plane.awaitEnd("low");
    assertThat(gpus.calls())
        .as("once")
        .containsExactly("cuda-checkpoint lock", "cuda-checkpoint unlock");
  }

  @Test
  void obeysWhatWasOrderedLastOnceItIsSuspended() throws Exception {
    start(Optional.of(gpus.checkpoint()));
    runCounting(whole("low", COUNTS), "low");
    gpus.hang("checkpoint");
    plane.send(suspend("low", 7));
    awaitStep("checkpoint");
    plane.send(Orders.stop(plane.leadership, "low", Stop.Kind.KIND_CANCEL));
    // It is not suspended again; and what comes after them is answered after them.
    plane.send(suspend("low", 7));
    plane.send(Orders.stop(plane.leadership, "other", Stop.Kind.KIND_CANCEL));
    plane.awaitEnd("other");
    gpus.works("checkpoint");
    AttemptReport end = plane.awaitEnd("low");
    assertThat(end.getEndReason()).isEqualTo(EndReason.END_REASON_STOPPED);
    assertThat(end.getExitCode()).as("it stood still").isEqualTo(137);
  }

  @Test
  void endsTheStepThatAnEarlierAgentBegan() throws Exception {
    start(Optional.of(gpus.checkpoint()));
    runCounting(whole("low", COUNTS), "low");
    gpus.hang("checkpoint");
    plane.send(suspend("low", 7));
    ProcessHandle step = awaitStep("checkpoint");
    agent.orElseThrow().close();
    assertThat(step.isAlive()).as("nobody waits for it now").isTrue();
    start(Optional.of(gpus.checkpoint()));
    await().atMost(FakeControlPlane.PATIENCE).until(() -> gpus.calls().size() == 2);
    assertThat(gpus.calls()).containsExactly("cuda-checkpoint lock", "cuda-checkpoint unlock");
    assertThat(step.isAlive()).isFalse();
    plane.send(Orders.stop(plane.leadership, "low", Stop.Kind.KIND_CANCEL));
    assertThat(plane.awaitEnd("low").getExitCode()).as("it goes on").isEqualTo(9);
  }

  @Test
  void triesAnOrderAgainThatTheEndOfAnAgentInterrupted() throws Exception {
    start(Optional.of(gpus.checkpoint()));
    runCounting(whole("low", COUNTS), "low");
    gpus.hang("checkpoint");
    plane.send(suspend("low", 7));
    awaitStep("checkpoint");
    agent.orElseThrow().close();
    gpus.works("checkpoint");
    start(Optional.of(gpus.checkpoint()));
    plane.send(suspend("low", 7));
    awaitSuspension("low", 7);
  }

  @Test
  void doesNotBlameAJobThatEndsWhileNoAgentIsThereToHaveItGoOn() throws Exception {
    start(Optional.of(gpus.checkpoint()));
    runCounting(whole("low", COUNTS), "low");
    long process = process("low");
    plane.send(suspend("low", 7));
    awaitSuspension("low", 7);
    gpus.hang("restore");
    plane.send(resume("low"));
    awaitStep("restore");
    agent.orElseThrow().close();
    gpus.works("restore");
    ProcessHandle.of(process).orElseThrow().destroyForcibly();
    await().atMost(FakeControlPlane.PATIENCE).until(() -> !AttemptLock.isHeld(attempt("low")));
    start(Optional.of(gpus.checkpoint()));
    AttemptReport end = plane.awaitEnd("low");
    assertThat(end.getEndReason()).isEqualTo(EndReason.END_REASON_STOPPED);
    assertThat(end.getError()).isEqualTo("it ended before it could be resumed");
    assertThat(end.getExitCode()).isEqualTo(137);
  }

  @Test
  void stopsAJobThatItCannotSuspendAndSaysWhy() throws Exception {
    start(Optional.of(gpus.checkpoint()));
    // The last step fails, so all before are undone; and what is done then is the usual stop.
    gpus.fault("checkpoint", 801, 1);
    runCounting(whole("stubborn", COUNTS), "stubborn");
    plane.send(suspend("stubborn", 7));
    AttemptReport end = plane.awaitEnd("stubborn");
    assertThat(end.getEndReason()).isEqualTo(EndReason.END_REASON_STOPPED);
    assertThat(end.getExitCode()).as("it could react to SIGTERM").isEqualTo(9);
    assertThat(end.getError())
        .startsWith("it could not be suspended: ")
        .endsWith("CUDA_ERROR_NOT_SUPPORTED");
    assertThat(gpus.calls()).containsExactly("cuda-checkpoint lock", "cuda-checkpoint unlock");
    assertThat(plane.reportsOf("stubborn"))
        .anyMatch(report ->
            report.getStopPhase().equals("suspend")
                && report.getStopPhaseResult().equals("failed"));

    runCounting(whole("large", COUNTS).setMemoryBytes(FakeGpus.GIB), "large");
    plane.send(suspend("large", 7));
    assertThat(plane.awaitEnd("large").getError())
        .matches("it could not be suspended: its 1024 MiB of device memory do not fit into .*");

    runCounting(whole("going", COUNTS), "going");
    plane.send(suspend("going", 7));
    awaitSuspension("going", 7);
    gpus.fault("restore", 801, 1);
    plane.send(resume("going"));
    AttemptReport lost = plane.awaitEnd("going");
    assertThat(lost.getEndReason()).isEqualTo(EndReason.END_REASON_STOPPED);
    assertThat(lost.getError()).startsWith("it cannot be resumed: ");

    runCounting(whole("given-up", COUNTS), "given-up");
    plane.send(suspend("given-up", 7));
    awaitSuspension("given-up", 7);
    long process = process("given-up");
    gpus.isGivenUp(process);
    plane.send(resume("given-up"));
    assertThat(plane.awaitEnd("given-up").getError())
        .isEqualTo("it cannot be resumed: the driver gave process " + process + " up");
  }

  @Test
  void waitsOnlySoLongForAStep() throws Exception {
    start(Optional.of(gpus.checkpoint()), Duration.ofMillis(500));
    runCounting(whole("low", COUNTS), "low");
    gpus.hang("lock");
    plane.send(suspend("low", 7));
    AttemptReport end = plane.awaitEnd("low");
    assertThat(end.getExitCode()).as("it could react to SIGTERM").isEqualTo(9);
    assertThat(end.getError()).startsWith("it could not be suspended: ").endsWith("took too long");
    gpus.works("lock");
  }

  @Test
  void doesNotSuspendBesideStrangersNorWithoutMainMemoryOfItsOwn() throws Exception {
    start(Optional.of(gpus.checkpoint()));
    runCounting(whole("without", COUNTS).setMemoryBytes(0), "without");
    plane.send(suspend("without", 7));
    assertThat(plane.awaitEnd("without").getError()).contains("has no main memory");

    runCounting(whole("beside", COUNTS), "beside");
    long process = process("beside");
    gpus.uses(0, ProcessHandle.current().pid(), FakeGpus.GIB);
    plane.send(suspend("beside", 7));
    await().atMost(FakeControlPlane.PATIENCE).until(() -> ProcessHandle.of(process).isEmpty());
    // As long as the stranger has memory of the GPU, its slice is not free.
    gpus.leaves(0, ProcessHandle.current().pid());
    assertThat(plane.awaitEnd("beside").getError())
        .endsWith("a process that is not known to be of the job uses its devices");
  }

  @Test
  void doesNotSuspendWhereTheDriverDoesNotSayWhoUsesADevice() throws Exception {
    start(Optional.of(gpus.checkpoint()));
    runCounting(whole("low", COUNTS), "low");
    gpus.fault("nvmlDeviceGetComputeRunningProcesses_v3", 3, 1_000_000);
    plane.send(suspend("low", 7));
    AttemptReport end = plane.awaitEnd("low");
    assertThat(end.getExitCode()).as("it could react to SIGTERM").isEqualTo(9);
    assertThat(end.getError()).startsWith("it could not be suspended: who uses GPU-");
    assertThat(gpus.calls()).as("nothing was tried").isEmpty();
  }

  @Test
  void stopsJobsWhereNothingSuspendsThem() throws Exception {
    start(Optional.empty());
    runCounting(whole("low", COUNTS), "low");
    plane.send(suspend("low", 7));
    AttemptReport end = plane.awaitEnd("low");
    assertThat(end.getExitCode()).isEqualTo(9);
    assertThat(end.getError())
        .isEqualTo("it could not be suspended: this machine does not suspend jobs");
    assertThat(plane.reportsOf("low"))
        .anyMatch(report -> report.getStopPhaseResult().equals("skipped"));
    assertThat(List.of(State.STATE_SUSPENDED))
        .doesNotContainAnyElementsOf(
            plane.reportsOf("low").stream().map(AttemptReport::getState).toList());
  }
}
