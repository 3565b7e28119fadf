package io.headgate.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.util.Durations;
import io.headgate.agent.container.FakePodman;
import io.headgate.agent.container.ImageArchive;
import io.headgate.agent.container.ImageStores;
import io.headgate.agent.container.RealEngine;
import io.headgate.agent.driver.nvml.FakeGpus;
import io.headgate.agent.process.NeededWalls;
import io.headgate.agent.runtime.host.JobWalls.Wanted;
import io.headgate.kit.config.Secret;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.time.TimeSource;
import io.headgate.proto.agent.v1.Assign;
import io.headgate.proto.agent.v1.AttemptReport;
import io.headgate.proto.agent.v1.AttemptReport.EndReason;
import io.headgate.proto.agent.v1.AttemptReport.State;
import io.headgate.proto.agent.v1.ConnectRequest;
import io.headgate.proto.agent.v1.Stop;
import io.headgate.proto.type.v1.Container;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Jobs with an image on a whole agent. The containers are real; the image is empty, of a program
/// that stands in for podman, and has the machine's programs lent.
class NodeAgentContainerTest {
  @TempDir Path root;
  private final FakeControlPlane plane = new FakeControlPlane();
  private FakePodman podman;
  private Optional<NodeAgent> agent = Optional.empty();

  @BeforeEach
  void needWalls() throws Exception {
    NeededWalls.demand(root);
    podman = FakePodman.in(root);
  }

  @AfterEach
  void stop() {
    agent.ifPresent(running -> running.stopJobsAndClose(FakeControlPlane.PATIENCE));
    plane.close();
  }

  private AgentConfig config(Wanted use) {
    return config(use, ImageStores.Wanted.PODMAN, podman.program());
  }

  private AgentConfig config(Wanted use, ImageStores.Wanted store, Path program) {
    List<Path> programs =
        Stream.of("/bin", "/usr", "/lib", "/lib64").map(Path::of).filter(Files::exists).toList();
    ContainersConfig containers =
        TestConfigs.below(
            TestConfigs.by(ContainersConfig.DEFAULTS.using(use), store, program), root);
    return TestConfigs.with(
        AgentConfig.of(root.resolve("n1"), "n1", plane.uri())
            .withJoinToken(Secret.of(FakeControlPlane.JOIN_TOKEN)),
        TestConfigs.lending(containers, programs, Optional.empty()));
  }

  private void start(AgentConfig config) {
    int before = plane.hellos.size();
    NodeAgent started = new NodeAgent(config, Telemetry.disabled(), TimeSource.system());
    agent = Optional.of(started);
    started.start();
    await()
        .atMost(FakeControlPlane.PATIENCE)
        .until(() -> started.isReady() && plane.hellos.size() > before);
  }

  private void start() {
    start(config(Wanted.REQUIRED));
  }

  private Assign.Builder job(String job, String image, String script) {
    return Orders.assign(plane.leadership, job, script)
        .setContainer(Container.newBuilder().setImage(image));
  }

  private Assign.Builder job(String job, String script) {
    return job(job, "localhost/empty:1", script);
  }

  private String output(String job, int lines) throws Exception {
    Path log = root.resolve("n1/attempts/acme." + job + ".1.0/logs/stdout.0");
    await()
        .atMost(FakeControlPlane.PATIENCE)
        .until(() -> Files.exists(log) && Files.readAllLines(log).size() >= lines);
    return Files.readString(log).strip();
  }

  private List<Path> cdiFiles() throws Exception {
    if (!Files.exists(root.resolve("cdi"))) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(root.resolve("cdi"))) {
      return files.toList();
    }
  }

  @Test
  void findsItsImageAndNothingElse() throws Exception {
    Path secret = Files.createFile(root.resolve("secret"));
    start();
    plane.send(
        Orders.message(
            job(
                "j",
                """
                pwd; ls /; touch /new 2>&1 | sed 's/.*: //'
                ls %s; ls /tmp/ | wc -l; ls /dev/shm; ls /root /home /etc/passwd; echo $OF_IMAGE
                echo $HEADGATE_JOB; grep -E '^(CapBnd|NoNewPrivs|Seccomp):' /proc/self/status; id -u
                echo kept > $HOME/kept; echo kept > $HEADGATE_CHECKPOINT_DIR/kept
                echo 0.5 > $HEADGATE_PROGRESS; : > $HEADGATE_CHECKPOINTED; exit 7
                """
                    .formatted(secret))));
    AttemptReport end = plane.awaitEnd("j");

    assertThat(plane.hellos.getLast().getRunsImages()).isTrue();
    assertThat(end.getExitCode()).isEqualTo(7);
    List<String> lines = output("j", 1).lines().toList();
    assertThat(lines).startsWith("/usr").contains("dev", "etc", "proc", "sys", "tmp", "var");
    assertThat(lines)
        .doesNotContain("root", "home", "opt", "srv", secret.toString())
        .contains("Read-only file system", "a=b", "tenants/acme/jobs/j")
        .contains("CapBnd:\t0000000000000000", "NoNewPrivs:\t1", "Seccomp:\t2");
    assertThat(lines.getLast()).matches("19[0-9]{8}");
    assertThat(root.resolve("n1/attempts/acme.j.1.0").resolve("work/kept")).hasContent("kept");
    assertThat(root.resolve("n1/checkpoints/acme/j/kept")).hasContent("kept");
    assertThat(plane.said)
        .flatExtracting(message -> message.getHeartbeat().getProgressList())
        .anyMatch(said -> said.getFraction() == 0.5 && said.getCheckpoint() != 0);
    assertThat(podman.containers()).as("nothing is left").isEmpty();
    assertThat(cdiFiles()).isEmpty();
  }

  @Test
  void hasExactlyItsSliceAndEnginesAreToldAsLongAsItRuns() throws Exception {
    FakeGpus gpus = FakeGpus.in(root, FakeGpus.Version.V580).with(false).with(false);
    start(
        config(Wanted.REQUIRED)
            .withGpus(
                new GpuConfig(
                    GpuConfig.Driver.NVML,
                    new GpuConfig.Nvml(gpus.library().toString(), FakeControlPlane.PATIENCE),
                    GpuConfig.Rocm.DEFAULTS,
                    GpuConfig.Mig.DEFAULTS,
                    GpuConfig.Mps.DEFAULTS,
                    GpuConfig.Watchdog.DEFAULTS,
                    GpuConfig.Health.DEFAULTS)));
    String uuid = plane.registrations.getLast().getDevices(1).getUuid();
    plane.send(
        Orders.message(
            job("j", "echo $CUDA_VISIBLE_DEVICES; ls /dev | grep nvidia; exec sleep 1000")
                .addSlices(Orders.slice(plane.registrations.getLast(), 1, "1"))));
    assertThat(output("j", 3).lines())
        .startsWith(uuid)
        .contains("nvidia1", "nvidiactl")
        .doesNotContain("nvidia0");
    assertThat(cdiFiles()).hasSize(1);
    String told = Files.readString(cdiFiles().getFirst());
    assertThat(told)
        .contains(
            "\"kind\": \"headgate.io/slice\"",
            ".acme.j.1.0\"",
            "CUDA_VISIBLE_DEVICES=" + uuid,
            "\"/dev/nvidia1\"",
            "\"hostPath\": \"/usr\"")
        .doesNotContain("/dev/nvidia0\"");
    plane.send(Orders.stop(plane.leadership, "j", Stop.Kind.KIND_CANCEL));
    plane.awaitEnd("j");
    assertThat(cdiFiles()).isEmpty();
  }

  @Test
  void isPreemptedInOrderByItsNextAgent() throws Exception {
    start();
    plane.send(
        Orders.message(
            Orders.withCallback(
                job(
                    "j",
                    "exec 9<> <(:); trap 'echo asked; exit 3' TERM; echo up; while :; do read -t"
                        + " 0.02 -u 9; done"),
                "echo callback in $(ls -d /home /etc 2> /dev/null) of $(tr '\\0' ' ' <"
                    + " /proc/$HEADGATE_JOB_PID/cmdline | cut -c1-4)")));
    assertThat(output("j", 1)).isEqualTo("up");
    agent.orElseThrow().close();
    podman.leave("headgate.of-another-agent");
    start();
    assertThat(podman.containers()).hasSize(2);
    plane.send(Orders.stop(plane.leadership, "j", Stop.Kind.KIND_PREEMPT));
    AttemptReport end = plane.awaitEnd("j");

    assertThat(end.getExitCode()).isEqualTo(3);
    assertThat(output("j", 3)).isEqualTo("up\ncallback in /etc of bash\nasked");
    assertThat(podman.containers()).containsExactly("headgate.of-another-agent");
  }

  @Test
  void isGoneWhenItMayRunElsewhere() throws Exception {
    start();
    plane.send(
        Orders.message(
            job("j", "trap '' TERM; echo up; while :; do sleep 1000; done")
                .setTerminationGrace(Durations.fromMillis(50))
                .setStopAfter(Durations.fromMillis(1500))));
    output("j", 1);
    plane.answersHeartbeats = false;
    assertThat(plane.awaitEnd("j").getEndReason()).isEqualTo(EndReason.END_REASON_OUT_OF_CONTACT);
    assertThat(podman.containers()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(names = "AUTO", mode = EnumSource.Mode.EXCLUDE)
  void runsAnImageOfARealEngineAcrossAgentsAndLeavesNothing(ImageStores.Wanted store)
      throws Exception {
    try (RealEngine real = RealEngine.in(root, store)) {
      real.load(ImageArchive.make(root, 1));
      AgentConfig config = config(Wanted.REQUIRED, store, real.program());
      start(config);
      plane.send(
          Orders.message(
              job(
                      "j",
                      ImageArchive.NAME,
                      "exec 9<> <(:); trap 'exit 5' TERM; cat /hello; echo $A; while :; do read -t"
                          + " 0.02 -u 9; done")
                  .setWorkingDirectory("/")));
      assertThat(output("j", 2)).isEqualTo("there\nb=c");
      agent.orElseThrow().close();
      start(config);
      plane.send(Orders.stop(plane.leadership, "j", Stop.Kind.KIND_PREEMPT));
      assertThat(plane.awaitEnd("j").getExitCode()).isEqualTo(5);
      assertThat(real.containers()).isEmpty();
    }
  }

  @Test
  void removesAtTheStartWhatNoAttemptExplains() throws Exception {
    start();
    plane.send(Orders.message(job("j", "echo up; exec sleep 1000")));
    output("j", 1);
    String lives = podman.containers().getFirst();
    agent.orElseThrow().close();
    podman.leave(lives.replace(".j.", ".lost."));
    Files.createDirectories(root.resolve("cdi"));
    Files.createFile(
        root.resolve("cdi/" + lives.replace("headgate.", "headgate.io-slice-") + "lost.json"));
    start();

    assertThat(podman.containers()).containsExactly(lives);
    assertThat(cdiFiles()).isEmpty();
  }

  @Test
  void anUpgradedAgentFindsAndClearsWhatTheOlderVersionNamed() throws Exception {
    Path data = root.resolve("n1");
    // The older version left no record of how names follow.
    Files.createDirectories(data.resolve("attempts"));
    start();
    plane.send(Orders.message(job("j", "echo up; exec sleep 1000")));
    output("j", 1);
    String olderName = "n1-" + Integer.toHexString(data.hashCode());
    String prefix = "headgate." + Integer.toHexString(olderName.hashCode()) + ".";
    assertThat(podman.containers()).containsExactly(prefix + "acme.j.1.0");
    agent.orElseThrow().close();
    podman.leave(prefix + "acme.lost.1.0");
    Files.delete(data.resolve("names"));
    start();

    assertThat(podman.containers()).containsExactly(prefix + "acme.j.1.0");
    plane.send(Orders.stop(plane.leadership, "j", Stop.Kind.KIND_CANCEL));
    plane.awaitEnd("j");
    assertThat(podman.containers()).isEmpty();
  }

  @Test
  void endsAlsoWhileItsEngineIsAway() throws Exception {
    start();
    plane.send(Orders.message(job("j", "echo up; exec sleep 1000")));
    output("j", 1);
    Path away = podman.program().resolveSibling("away");
    Files.move(podman.program(), away);
    plane.send(Orders.stop(plane.leadership, "j", Stop.Kind.KIND_CANCEL));
    plane.awaitEnd("j");
    assertThat(cdiFiles()).isEmpty();
    assertThat(podman.containers()).hasSize(1);
    agent.orElseThrow().close();
    Files.move(away, podman.program());
    start();
    assertThat(podman.containers()).isEmpty();
  }

  @Test
  void isStoppedWhileItsImageComes() throws Exception {
    start();
    plane.send(Orders.message(job("j", "localhost/slow", "true")));
    await()
        .atMost(FakeControlPlane.PATIENCE)
        .until(() -> podman.calls().stream().anyMatch(call -> call.contains("localhost/slow")));
    plane.send(Orders.stop(plane.leadership, "j", Stop.Kind.KIND_CANCEL));
    AttemptReport end = plane.awaitEnd("j");

    assertThat(end.getEndReason()).isEqualTo(EndReason.END_REASON_STOPPED);
    assertThat(end.getError()).isEqualTo("stopped before it started");
  }

  @Test
  void saysWhyItCannotRun() throws Exception {
    start();
    plane.send(Orders.message(job("absent", "localhost/absent", "true")));
    AttemptReport absent = plane.awaitEnd("absent");
    assertThat(absent.getEndReason()).isEqualTo(EndReason.END_REASON_START_FAILED);
    assertThat(absent.getError())
        .contains("image localhost/absent:latest is not available", "no such image");

    plane.send(Orders.message(job("odd", "oci-archive:/etc/shadow", "true")));
    AttemptReport odd = plane.awaitEnd("odd");
    assertThat(odd.getEndReason())
        .as("malformed: the job fails, and the node is not to blame")
        .isEqualTo(EndReason.END_REASON_START_FAILED);
    assertThat(odd.getError()).contains("'oci-archive:/etc/shadow' does not name its registry");
  }

  @Test
  void failsWithAnImageThatItsOperatorDoesNotAllow() throws Exception {
    AgentConfig config = config(Wanted.REQUIRED);
    start(
        TestConfigs.with(
            config,
            TestConfigs.lending(
                config.containers(),
                config.containers().lend(),
                Optional.of(List.of("localhost/team/*", "localhost/empty:1")))));
    assertThat(plane.hellos.getLast().getImageRules().getAllowedList())
        .containsExactly("localhost/team/*", "localhost/empty:1");
    plane.send(Orders.message(job("j", "localhost/other:1", "true")));
    AttemptReport end = plane.awaitEnd("j");
    assertThat(end.getEndReason())
        .as("rejected, it would come back for ever")
        .isEqualTo(EndReason.END_REASON_START_FAILED);
    assertThat(end.getError())
        .isEqualTo(
            "image localhost/other:1 may not run on this node, which allows localhost/team/*,"
                + " localhost/empty:1 (containers.images); use one of these, or ask its operator");
    assertThat(podman.calls()).noneMatch(call -> call.contains("localhost/other"));
    plane.send(Orders.message(job("good", "true")));
    assertThat(plane.awaitEnd("good").getExitCode()).isZero();
  }

  @Test
  void isRejectedWhereNoContainersAreWanted() throws Exception {
    start(config(Wanted.NONE));
    assertThat(plane.hellos.getLast().getRunsImages()).isFalse();
    plane.send(Orders.message(job("j", "true")));
    AttemptReport end = plane.awaitEnd("j");
    assertThat(end.getEndReason()).isEqualTo(EndReason.END_REASON_REJECTED);
    assertThat(end.getError()).contains("this node runs no jobs with an image");
    plane.send(Orders.message(Orders.assign(plane.leadership, "process", "true")));
    plane.awaitState("process", State.STATE_ENDED);
  }

  @Test
  void runFromWhenTheirEngineComesUntilItGoes() throws Exception {
    Path away = podman.program().resolveSibling("away");
    Files.move(podman.program(), away);
    start(config(Wanted.AUTO));
    assertThat(plane.hellos.getLast().getRunsImages()).isFalse();

    Files.move(away, podman.program());
    plane.send(Orders.message(job("came", "true")));
    assertThat(plane.awaitEnd("came").getExitCode()).isZero();
    assertThat(lastSaidBeforeTheEndOf("came")).isTrue();

    Files.move(podman.program(), away);
    plane.send(Orders.message(job("gone", "true")));
    AttemptReport end = plane.awaitEnd("gone");
    assertThat(end.getEndReason()).isEqualTo(EndReason.END_REASON_REJECTED);
    assertThat(end.getError()).contains("there is no program " + podman.program());
    assertThat(lastSaidBeforeTheEndOf("gone")).isFalse();
  }

  /// Whether such jobs run, by the last heartbeat before the scheduler heard of an end.
  private boolean lastSaidBeforeTheEndOf(String job) {
    List<Boolean> heartbeats =
        plane.said.stream()
            .takeWhile(said ->
                !said.getUpdate().getReport().getJob().endsWith("/" + job)
                    || said.getUpdate().getReport().getState() != State.STATE_ENDED)
            .filter(ConnectRequest::hasHeartbeat)
            .map(said -> said.getHeartbeat().getRunsImages())
            .toList();
    return heartbeats.getLast();
  }

  @Test
  void doesNotStartWithoutPodmanWhereContainersAreRequired() throws Exception {
    Files.delete(podman.program());
    assertThatExceptionOfType(UncheckedIOException.class)
        .isThrownBy(() -> start(config(Wanted.REQUIRED)))
        .withMessageContaining(
            "containers.use is required, but this node runs no jobs with an image");
    start(config(Wanted.AUTO));
  }
}
