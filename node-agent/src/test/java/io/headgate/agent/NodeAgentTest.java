package io.headgate.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.util.Durations;
import io.headgate.agent.runtime.host.JobWalls;
import io.headgate.kit.config.Secret;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.time.TimeSource;
import io.headgate.proto.agent.v1.AttemptReport;
import io.headgate.proto.agent.v1.AttemptReport.EndReason;
import io.headgate.proto.agent.v1.AttemptReport.State;
import io.headgate.proto.agent.v1.ConnectRequest;
import io.headgate.proto.agent.v1.ConnectRequest.MessageCase;
import io.headgate.proto.agent.v1.Hello;
import io.headgate.proto.agent.v1.Leadership;
import io.headgate.proto.agent.v1.Stop;
import io.headgate.proto.agent.v1.Update;
import io.headgate.proto.policy.v1.EnrollNodeRequest;
import io.headgate.proto.pool.v1.Node;
import io.headgate.proto.type.v1.IsolationLevel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A whole agent against the other end of its wire: real gRPC, real supervisors, real processes.
class NodeAgentTest {
  @TempDir Path root;
  private static final WallsConfig WITHOUT_WALLS = TestConfigs.walls(JobWalls.Wanted.NONE);

  private FakeControlPlane plane;
  private NodeAgent agent;

  @BeforeEach
  void connect() {
    plane = new FakeControlPlane();
    agent = startAgent("n1", plane);
    await().atMost(FakeControlPlane.PATIENCE).until(agent::isReady);
  }

  @AfterEach
  void stop() {
    agent.stopJobsAndClose(FakeControlPlane.PATIENCE);
    plane.close();
  }

  private NodeAgent startAgent(String node, FakeControlPlane at) {
    return startAgent(node, at, WallsConfig.DEFAULTS);
  }

  private NodeAgent startAgent(String node, FakeControlPlane at, WallsConfig walls) {
    NodeAgent started =
        new NodeAgent(
            AgentConfig.of(root.resolve(node), node, at.uri())
                .withJoinToken(Secret.of(FakeControlPlane.JOIN_TOKEN))
                .withWalls(walls)
                .withSimulatedGpus("2xH100"),
            Telemetry.disabled(),
            TimeSource.system());
    started.start();
    return started;
  }

  private Leadership leader() {
    return plane.leadership;
  }

  private Node node() {
    return plane.registrations.getLast();
  }

  private Path attempt(String job) {
    return root.resolve("n1/attempts/acme." + job + ".1.0");
  }

  private String output(String job) throws Exception {
    return Files.readString(attempt(job).resolve("logs/stdout.0"));
  }

  @Test
  void joinsTellsWhatItHasAndSaysThatItIsSimulated() throws Exception {
    assertThat(agent.node()).hasValue("tenants/acme/nodes/n1");
    assertThat(node().getSimulated()).isTrue();
    assertThat(node().getDriver()).isEqualTo("simulated");
    assertThat(node().getDevicesList())
        .hasSize(2)
        .allSatisfy(device -> {
          assertThat(device.getUuid()).startsWith("SIM-");
          assertThat(device.getGpuModel()).isEqualTo("H100");
          assertThat(device.getMemoryBytes()).isEqualTo(80L << 30);
        });
    assertThat(plane.hellos.getLast().getSimulated()).isTrue();
    assertThat(Files.getPosixFilePermissions(root.resolve("n1/identity")))
        .isEqualTo(PosixFilePermissions.fromString("rw-------"));
  }

  @Test
  void runsAJobWithItsEnvironmentAndReportsItsExitCode() throws Exception {
    Path checkpoints = Files.createDirectories(root.resolve("n1/checkpoints/acme/train"));
    Files.writeString(checkpoints.resolve("epoch-3"), "state");
    plane.send(
        Orders.message(
            Orders.assign(leader(), "train", "env | sort; exit 42")
                .setAttempt(1)
                .addSlices(Orders.slice(node(), 1, "1/2"))
                .putEnvironment("EPOCHS", "3")
                .putEnvironment("HEADGATE_JOB", "forged")
                .setResume(true)
                .setTraceparent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")));
    AttemptReport end = plane.awaitEnd("train");

    assertThat(end.getEndReason()).isEqualTo(EndReason.END_REASON_EXITED);
    assertThat(end.getExitCode()).isEqualTo(42);
    assertThat(plane.reportsOf("train"))
        .extracting(AttemptReport::getState)
        .containsExactly(State.STATE_RUNNING, State.STATE_ENDED);
    String uuid = node().getDevices(1).getUuid();
    assertThat(output("train").lines())
        .contains(
            "CUDA_VISIBLE_DEVICES=" + uuid,
            "NVIDIA_VISIBLE_DEVICES=" + uuid,
            "EPOCHS=3",
            "HEADGATE_ATTEMPT=1",
            "HEADGATE_CHECKPOINTED=" + attempt("train").resolve("work/.headgate-checkpointed"),
            "HEADGATE_CHECKPOINT_DIR=" + root.resolve("n1/checkpoints/acme/train"),
            "HEADGATE_GPUS=1/2",
            "HEADGATE_GPU_MEMORY_LIMIT_BYTES=" + (40L << 30),
            "HEADGATE_JOB=tenants/acme/jobs/train",
            "HEADGATE_ON_ABORT=" + attempt("train").resolve("work/.headgate-on-abort"),
            "HEADGATE_PROGRESS=" + attempt("train").resolve("work/.headgate-progress"),
            "HEADGATE_QUEUE=half",
            "HEADGATE_RESUME=1",
            "HEADGATE_SIMULATED=1",
            "HEADGATE_WORKER=0",
            "HEADGATE_WORKERS=1",
            "HOME=" + attempt("train").resolve("work"),
            "TRACEPARENT=00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
    assertThat(attempt("train").resolve("tmp")).doesNotExist();
    assertThat(attempt("train").resolve("env")).as("may hold secrets").doesNotExist();
  }

  @Test
  void preemptsInStepsAndReportsEachOfThem() {
    plane.send(
        Orders.message(
            Orders.withCallback(
                Orders.assign(leader(), "victim", "echo up; exec sleep 1000"), "echo saved")));
    plane.awaitState("victim", State.STATE_RUNNING);
    plane.send(Orders.stop(leader(), "victim", Stop.Kind.KIND_PREEMPT));
    AttemptReport end = plane.awaitEnd("victim");

    assertThat(end.getEndReason()).isEqualTo(EndReason.END_REASON_STOPPED);
    assertThat(end.getExitCode()).isEqualTo(128 + 15);
    assertThat(plane.reportsOf("victim"))
        .extracting(report -> report.getStopPhase() + " " + report.getStopPhaseResult())
        .containsExactly(" ", " ", "callback ", "callback ok", "term ", "term ok", "cleanup ok");
  }

  @Test
  void preemptsWithTheCallbackThatTheJobMadeWhileItRan() {
    String script =
        """
        printf '#!/bin/sh\\necho saved\\n' > new; chmod 700 new; mv new "$HEADGATE_ON_ABORT"
        exec sleep 1000
        """;
    plane.send(Orders.message(Orders.assign(leader(), "victim", script)));
    await()
        .atMost(FakeControlPlane.PATIENCE)
        .until(() -> Files.exists(attempt("victim").resolve("work/.headgate-on-abort")));
    plane.awaitState("victim", State.STATE_RUNNING);
    plane.send(Orders.stop(leader(), "victim", Stop.Kind.KIND_PREEMPT));
    plane.awaitEnd("victim");

    assertThat(plane.reportsOf("victim"))
        .extracting(report -> report.getStopPhase() + " " + report.getStopPhaseResult())
        .containsExactly(" ", " ", "callback ", "callback ok", "term ", "term ok", "cleanup ok");
  }

  @Test
  void neverStartsAnAttemptTwiceAndNeverOneThatWasStopped() throws Exception {
    var assign = Orders.assign(leader(), "once", "echo started >> $HEADGATE_CHECKPOINT_DIR/starts");
    plane.send(Orders.message(assign));
    plane.send(Orders.message(assign));
    plane.awaitEnd("once");
    plane.send(Orders.message(assign));
    await().atMost(FakeControlPlane.PATIENCE).until(() -> plane.reportsOf("once").size() >= 4);
    assertThat(Files.readString(root.resolve("n1/checkpoints/acme/once/starts")))
        .isEqualTo("started\n");

    plane.send(Orders.stop(leader(), "late", Stop.Kind.KIND_CANCEL));
    assertThat(plane.awaitEnd("late").getEndReason()).isEqualTo(EndReason.END_REASON_LOST);
    plane.send(Orders.message(Orders.assign(leader(), "late", "true")));
    await().atMost(FakeControlPlane.PATIENCE).until(() -> plane.reportsOf("late").size() == 2);
    assertThat(plane.reportsOf("late").getLast().getState()).isEqualTo(State.STATE_ENDED);
    assertThat(attempt("late").resolve("status")).doesNotExist();
  }

  @Test
  void givesNoPartOfADeviceAwayTwice() {
    plane.send(
        Orders.message(
            Orders.assign(leader(), "a", "exec sleep 1000")
                .addSlices(Orders.slice(node(), 0, "1/2"))));
    plane.send(
        Orders.message(
            Orders.assign(leader(), "b", "exec sleep 1000")
                .addSlices(Orders.slice(node(), 0, "2/3"))));
    AttemptReport refused = plane.awaitEnd("b");

    assertThat(refused.getEndReason()).isEqualTo(EndReason.END_REASON_REJECTED);
    assertThat(refused.getError()).contains("2/3 GPU of device SIM-").contains("1/2 of it is free");
    plane.send(
        Orders.message(
            Orders.assign(leader(), "c", "true").addSlices(Orders.slice(node(), 0, "1/2"))));
    assertThat(plane.awaitEnd("c").getEndReason()).isEqualTo(EndReason.END_REASON_EXITED);
  }

  @Test
  void refusesWhatItCannotUnderstandOrIsolate() {
    plane.send(Orders.message(Orders.assign(leader(), "bad", "true").putEnvironment("1=x", "y")));
    AttemptReport bad = plane.awaitEnd("bad");
    assertThat(bad.getError()).startsWith("environment[1=x]: a name has letters");
    assertThat(bad.getEndReason()).as("the job's").isEqualTo(EndReason.END_REASON_START_FAILED);

    plane.send(
        Orders.message(
            Orders.assign(leader(), "strict", "true")
                .addSlices(Orders.slice(node(), 0, "1"))
                .setMinimumIsolation(IsolationLevel.ISOLATION_LEVEL_HARDWARE)));
    assertThat(plane.awaitEnd("strict").getError()).contains("at least HARDWARE is demanded");
  }

  @Test
  void keepsUpdatesUntilTheyAreAcknowledgedAcrossSessions() {
    plane.acknowledges = false;
    plane.send(Orders.message(Orders.assign(leader(), "kept", "exit 3")));
    plane.awaitEnd("kept");
    int sent = plane.updates.size();
    plane.cut();
    await().atMost(FakeControlPlane.PATIENCE).until(() -> plane.updates.size() == 2 * sent);

    assertThat(plane.updates)
        .extracting(Update::getSequence)
        .containsExactlyElementsOf(
            LongStream.concat(LongStream.rangeClosed(1, sent), LongStream.rangeClosed(1, sent))
                .boxed()
                .toList());
    assertThat(plane.hellos.getLast().getAttemptsList())
        .singleElement()
        .satisfies(report -> assertThat(report.getExitCode()).isEqualTo(3));
    plane.acknowledgeAll();
    plane.send(Orders.forget("kept"));
    plane.cut();
    await().atMost(FakeControlPlane.PATIENCE).until(() -> plane.hellos.size() == 3);
    assertThat(plane.hellos.getLast().getAttemptsList()).isEmpty();
    assertThat(plane.updates).hasSize(2 * sent);
  }

  @Test
  void followsTheLeader() {
    try (FakeControlPlane leading = plane.replica()) {
      leading.leadership = FakeControlPlane.leader(2, "b");
      plane.leaderElsewhere = Optional.of("127.0.0.1:" + leading.port());
      plane.cut();
      await().atMost(FakeControlPlane.PATIENCE).until(leading::isConnected);
      assertThat(leading.hellos.getLast().getHighestObeyed()).isEqualTo(leader());
      plane.leaderElsewhere = Optional.empty();
      plane.leadership = FakeControlPlane.leader(3, "a");
      leading.cut();
      await().atMost(FakeControlPlane.PATIENCE).until(plane::isConnected);
    }
  }

  @Test
  void goesOnWhenItIsSentToWhatIsNoAddress() {
    plane.leaderElsewhere = Optional.of("no address / at all");
    plane.cut();
    await().atMost(FakeControlPlane.PATIENCE).until(() -> plane.said.size() >= 3);
    plane.leaderElsewhere = Optional.empty();

    await().atMost(FakeControlPlane.PATIENCE).until(plane::isConnected);
  }

  @Test
  void waitsLongerAfterASchedulerThatWelcomesItAndHangsUp() {
    long begun = System.nanoTime();
    for (int i = 2; i <= 6; i++) {
      int hellos = i;
      plane.cut();
      await()
          .atMost(FakeControlPlane.PATIENCE)
          .pollInterval(Duration.ofMillis(5))
          .until(() -> plane.hellos.size() == hellos && plane.isConnected());
    }
    // At least half of 100, 200, 400, 800 and 1600 ms.
    assertThat(Duration.ofNanos(System.nanoTime() - begun)).isGreaterThan(Duration.ofMillis(1550));
  }

  @Test
  void doesNotLookAliveWhenItCannotWriteItsRecords() throws Exception {
    plane.send(Orders.message(Orders.assign(leader(), "runs", "echo up; exec sleep 1000")));
    plane.awaitState("runs", State.STATE_RUNNING);
    Path attempts = root.resolve("n1/attempts");
    Files.move(attempts, root.resolve("n1/moved"));
    Files.createFile(attempts);
    plane.send(Orders.message(Orders.assign(leader(), "lost", "true")));

    await().atMost(FakeControlPlane.PATIENCE).until(() -> !plane.isConnected());
    assertThat(agent.failure()).isCompletedExceptionally();
    assertThat(agent.isReady()).isFalse();
    assertThat(plane.hellos).hasSize(1);
    agent.close();
    Files.delete(attempts);
    Files.move(root.resolve("n1/moved"), attempts);
    agent = startAgent("n1", plane);
    await().atMost(FakeControlPlane.PATIENCE).until(() -> plane.hellos.size() == 2);
    assertThat(plane.hellos.getLast().getAttempts(0).getState()).isEqualTo(State.STATE_RUNNING);
  }

  @Test
  void obeysNoDeposedLeader() {
    plane.leadership = FakeControlPlane.leader(7, "b");
    plane.cut();
    await().atMost(FakeControlPlane.PATIENCE).until(() -> plane.hellos.size() == 2);
    plane.send(Orders.message(Orders.assign(leader(), "good", "exec sleep 1000")));
    plane.awaitState("good", State.STATE_RUNNING);
    int before = plane.hellos.size();
    plane.send(Orders.stop(FakeControlPlane.leader(6, "a"), "good", Stop.Kind.KIND_CANCEL));

    // The agent ends the session with a scheduler that passes such a command on, and has not
    // obeyed.
    await().atMost(FakeControlPlane.PATIENCE).until(() -> plane.hellos.size() > before);
    assertThat(plane.hellos.getLast().getAttempts(0).getState()).isEqualTo(State.STATE_RUNNING);
    assertThat(plane.hellos.getLast().getHighestObeyed().getEpoch()).isEqualTo(7);
  }

  @Test
  void stopsJobsByTheirSupervisorsWhenContactIsLostAndSaysSoLater() {
    plane.send(
        Orders.message(
            Orders.assign(leader(), "alone", "exec sleep 1000")
                .setStopAfter(Durations.fromSeconds(8))));
    plane.awaitState("alone", State.STATE_RUNNING);
    await()
        .during(Duration.ofSeconds(9))
        .atMost(FakeControlPlane.PATIENCE)
        .until(() -> plane.reportsOf("alone").size() == 1);
    plane.answersHeartbeats = false;

    AttemptReport end = plane.awaitEnd("alone");
    assertThat(end.getEndReason()).isEqualTo(EndReason.END_REASON_OUT_OF_CONTACT);
  }

  @Test
  void leavesJobsRunningAtItsEndAndAdoptsThemAtTheNextStart() throws Exception {
    plane.send(
        Orders.message(
            Orders.assign(
                    leader(),
                    "stays",
                    "until [ -e \"$HEADGATE_CHECKPOINT_DIR/go\" ]; do :; done; exit 9")
                .addSlices(Orders.slice(node(), 0, "1"))));
    plane.awaitState("stays", State.STATE_RUNNING);
    agent.close();
    agent = startAgent("n1", plane);
    await().atMost(FakeControlPlane.PATIENCE).until(() -> plane.hellos.size() == 2);
    plane.send(
        Orders.message(
            Orders.assign(leader(), "greedy", "true").addSlices(Orders.slice(node(), 0, "1/7"))));
    assertThat(plane.awaitEnd("greedy").getEndReason()).isEqualTo(EndReason.END_REASON_REJECTED);
    Files.createFile(root.resolve("n1/checkpoints/acme/stays/go"));

    assertThat(plane.awaitEnd("stays").getExitCode()).isEqualTo(9);
  }

  @Test
  void takesItsJobsWithItWhenToldTo() {
    plane.send(
        Orders.message(
            Orders.withCallback(Orders.assign(leader(), "job", "exec sleep 1000"), "exit 0")));
    plane.awaitState("job", State.STATE_RUNNING);

    assertThat(agent.stopJobsAndClose(FakeControlPlane.PATIENCE)).isTrue();
    assertThat(plane.awaitEnd("job").getEndReason()).isEqualTo(EndReason.END_REASON_NODE_STOPPED);
    assertThat(plane.reportsOf("job"))
        .extracting(report -> report.getStopPhase() + " " + report.getStopPhaseResult())
        .contains("callback ok", "cleanup ok");
  }

  @Test
  void saysThatItClosesBeforeAnyUpdateOfItsStopAndAgainOnEveryStream() throws Exception {
    plane.send(
        Orders.message(
            Orders.withCallback(
                Orders.assign(leader(), "job", "exec sleep 1000"),
                "until [ -e \"$HEADGATE_CHECKPOINT_DIR/go\" ]; do :; done")));
    plane.awaitState("job", State.STATE_RUNNING);
    // So that there is something to say again.
    plane.acknowledges = false;
    plane.said.clear();
    CompletableFuture<Boolean> stopped =
        CompletableFuture.supplyAsync(() -> agent.stopJobsAndClose(FakeControlPlane.PATIENCE));
    plane.awaitState("job", State.STATE_STOPPING);

    assertThat(saidButHeartbeats()).startsWith(MessageCase.CLOSING, MessageCase.UPDATE);
    plane.cut();
    await()
        .atMost(FakeControlPlane.PATIENCE)
        .until(() -> plane.hellos.size() == 2 && saidSinceHello().contains(MessageCase.UPDATE));
    plane.acknowledges = true;
    Files.createFile(root.resolve("n1/checkpoints/acme/job/go"));
    assertThat(stopped.get(60, TimeUnit.SECONDS)).isTrue();
    assertThat(plane.hellos)
        .extracting(Hello::getClosing)
        .as("whoever leads by then knows it from the first word")
        .containsExactly(false, true);
    assertThat(saidSinceHello())
        .startsWith(MessageCase.HELLO, MessageCase.CLOSING, MessageCase.UPDATE)
        .containsOnlyOnce(MessageCase.CLOSING);
  }

  @Test
  void saysThatItClosesEvenIfNothingRuns() {
    assertThat(agent.stopJobsAndClose(FakeControlPlane.PATIENCE)).isTrue();

    await().atMost(FakeControlPlane.PATIENCE).until(() -> !plane.isConnected());
    assertThat(saidButHeartbeats()).containsExactly(MessageCase.HELLO, MessageCase.CLOSING);
  }

  /// On the newest stream; what the cut one still said does not count.
  private List<MessageCase> saidSinceHello() {
    List<MessageCase> said = saidButHeartbeats();
    return said.subList(Math.max(0, said.lastIndexOf(MessageCase.HELLO)), said.size());
  }

  private List<MessageCase> saidButHeartbeats() {
    return plane.said.stream()
        .map(ConnectRequest::getMessageCase)
        .filter(each -> each != MessageCase.HEARTBEAT)
        .toList();
  }

  @Test
  void endsOnceAndLeavesTheNextAgentOfItsDirectoryAlone() {
    agent.close();
    NodeAgent next = startAgent("n1", plane);
    try {
      agent.close();
      assertThat(agent.stopJobsAndClose(FakeControlPlane.PATIENCE)).isFalse();
      assertThatThrownBy(() -> startAgent("n1", plane))
          .hasMessageContaining("another agent is running");
      await().atMost(FakeControlPlane.PATIENCE).until(next::isReady);
    } finally {
      next.close();
    }
  }

  @Test
  void cleansUpAfterASupervisorThatWasKilled() throws Exception {
    plane.send(
        Orders.message(
            Orders.assign(
                    leader(),
                    "orphan",
                    "(setsid bash -c 'echo > $HEADGATE_CHECKPOINT_DIR/daemon; exec sleep 98765' &)"
                        + " ; exec sleep 1000")
                .addSlices(Orders.slice(node(), 0, "1"))));
    Path daemon = root.resolve("n1/checkpoints/acme/orphan/daemon");
    await()
        .atMost(FakeControlPlane.PATIENCE)
        .until(() -> Files.exists(daemon) && Processes.isRunning("sleep", "98765"));
    plane.awaitState("orphan", State.STATE_RUNNING);
    String status = Files.readString(attempt("orphan").resolve("status"));
    long supervisor = Long.parseLong(status.replaceAll("(?s).*supervisor_pid=(\\d+).*", "$1"));
    ProcessHandle.of(supervisor).orElseThrow().destroyForcibly();

    assertThat(plane.awaitEnd("orphan").getEndReason()).isEqualTo(EndReason.END_REASON_LOST);
    assertThat(Processes.isRunning("sleep", "98765")).isFalse();
    plane.send(
        Orders.message(
            Orders.assign(leader(), "next", "true").addSlices(Orders.slice(node(), 0, "1"))));
    assertThat(plane.awaitEnd("next").getEndReason()).isEqualTo(EndReason.END_REASON_EXITED);
  }

  @Test
  void keepsASliceUntilWhatHoldsUpItsReleaseIsMended() throws Exception {
    plane.send(
        Orders.message(
            Orders.assign(leader(), "held", "echo up; exec sleep 1000")
                .addSlices(Orders.slice(node(), 0, "1"))));
    plane.awaitState("held", State.STATE_RUNNING);
    Path slices = attempt("held").resolve("slices");
    byte[] whole = Files.readAllBytes(slices);
    Files.writeString(slices, "plan=%zz\n");
    plane.send(Orders.stop(leader(), "held", Stop.Kind.KIND_CANCEL));
    plane.awaitReport("held", report -> report.getStopPhaseResult().equals("ok"));
    plane.send(
        Orders.message(
            Orders.assign(leader(), "greedy", "true").addSlices(Orders.slice(node(), 0, "1/7"))));
    assertThat(plane.awaitEnd("greedy").getEndReason()).isEqualTo(EndReason.END_REASON_REJECTED);

    Files.write(slices, whole);
    assertThat(plane.awaitEnd("held").getEndReason()).isEqualTo(EndReason.END_REASON_STOPPED);
  }

  @Test
  void asksForTheSameKeyUntilItHearsTheAnswerEvenAfterARestart() {
    plane.losesEnrolments = true;
    NodeAgent deaf = startAgent("n3", plane);
    await().atMost(FakeControlPlane.PATIENCE).until(() -> enrolments("n3").size() >= 2);
    deaf.close();
    int before = enrolments("n3").size();
    plane.losesEnrolments = false;
    NodeAgent restarted = startAgent("n3", plane);
    try {
      await().atMost(FakeControlPlane.PATIENCE).until(restarted::isReady);
      assertThat(enrolments("n3")).hasSizeGreaterThan(before);
      assertThat(enrolments("n3")).hasSameElementsAs(List.of(enrolments("n3").getFirst()));
      assertThat(UUID.fromString(enrolments("n3").getFirst()).version()).isEqualTo(4);
    } finally {
      restarted.close();
    }
  }

  private List<String> enrolments(String node) {
    return plane.enrolments.stream()
        .filter(request -> request.getNodeId().equals(node))
        .map(EnrollNodeRequest::getRequestId)
        .toList();
  }

  @Test
  void doesNotWaitOnPipesThatAJobPutsInTheWay() {
    putPipesInTheWay();
    stopTheSlyOne();
  }

  @Test
  void stopsAJobWhoseStatusItHasNeverSeen() {
    putPipesInTheWay();
    agent.close();
    agent = startAgent("n1", plane, WITHOUT_WALLS);
    await().atMost(FakeControlPlane.PATIENCE).until(() -> plane.hellos.size() == 3);
    stopTheSlyOne();
  }

  /// Where no walls keep it from there.
  private void putPipesInTheWay() {
    agent.close();
    agent = startAgent("n1", plane, WITHOUT_WALLS);
    await().atMost(FakeControlPlane.PATIENCE).until(agent::isReady);
    plane.send(
        Orders.message(
            Orders.assign(
                    leader(),
                    "sly",
                    "cd ..; rm spec status; mkfifo spec status; echo up > work/up; exec sleep 1000")
                .addSlices(Orders.slice(node(), 0, "1"))));
    await()
        .atMost(FakeControlPlane.PATIENCE)
        .until(() -> Files.exists(attempt("sly").resolve("work/up")));
  }

  private void stopTheSlyOne() {
    plane.send(Orders.stop(leader(), "sly", Stop.Kind.KIND_CANCEL));

    assertThat(plane.awaitEnd("sly").getEndReason()).isEqualTo(EndReason.END_REASON_STOPPED);
    plane.send(
        Orders.message(
            Orders.assign(leader(), "next", "true").addSlices(Orders.slice(node(), 0, "1"))));
    assertThat(plane.awaitEnd("next").getEndReason()).isEqualTo(EndReason.END_REASON_EXITED);
  }

  @Test
  void sharesAJvmWithOtherAgents() {
    NodeAgent other = startAgent("n2", plane);
    try {
      await().atMost(FakeControlPlane.PATIENCE).until(() -> plane.registrations.size() == 2);
      assertThat(List.copyOf(plane.registrations))
          .extracting(registered -> registered.getDevices(0).getUuid())
          .doesNotHaveDuplicates();
      await().atMost(FakeControlPlane.PATIENCE).until(other::isReady);
    } finally {
      other.close();
    }
  }
}
