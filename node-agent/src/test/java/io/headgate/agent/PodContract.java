package io.headgate.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.util.Durations;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.core.JobName;
import io.headgate.agent.kubernetes.Cluster;
import io.headgate.agent.kubernetes.PodRequest;
import io.headgate.agent.kubernetes.PodSettings;
import io.headgate.agent.runtime.Agent;
import io.headgate.kit.config.Secret;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.time.TimeSource;
import io.headgate.proto.agent.v1.Assign;
import io.headgate.proto.agent.v1.AttemptReport;
import io.headgate.proto.agent.v1.AttemptReport.EndReason;
import io.headgate.proto.agent.v1.Stop;
import io.headgate.proto.type.v1.Container;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The promises to jobs that run as pods, kept by a whole agent on a node of any cluster.
abstract class PodContract {
  @TempDir Path root;
  final FakeControlPlane plane = new FakeControlPlane();
  private Optional<NodeAgent> agent = Optional.empty();

  abstract Cluster cluster();

  @AfterEach
  void stop() {
    agent.ifPresent(running -> running.stopJobsAndClose(FakeControlPlane.PATIENCE));
    plane.close();
  }

  /// Its jobs go on.
  final void closeAgent() {
    agent.orElseThrow().close();
  }

  final void start() {
    start(PodSettings.Devices.NRI, GpuConfig.NONE);
  }

  final void start(PodSettings.Devices devices, GpuConfig gpus) {
    KubernetesConfig config =
        new KubernetesConfig(
            true,
            cluster().uri(),
            cluster().token(),
            cluster().trust(),
            Cluster.NAMESPACE,
            Optional.of(cluster().node()),
            Optional.of(Cluster.IMAGE),
            devices,
            Duration.ofMillis(200),
            FakeControlPlane.PATIENCE);
    int before = plane.hellos.size();
    AgentConfig base =
        AgentConfig.of(root.resolve("n1"), "n1", plane.uri())
            .withJoinToken(Secret.of(FakeControlPlane.JOIN_TOKEN))
            .withGpus(gpus);
    ContainersConfig containers =
        TestConfigs.lending(
            TestConfigs.below(ContainersConfig.NONE, root),
            List.of(Path.of("/usr/lib")),
            Optional.of(List.of("registry.example/**")));
    NodeAgent started =
        new NodeAgent(
            TestConfigs.with(TestConfigs.with(base, containers), config),
            Telemetry.disabled(),
            TimeSource.system());
    agent = Optional.of(started);
    started.start();
    await()
        .atMost(FakeControlPlane.PATIENCE)
        .until(() -> started.isReady() && plane.hellos.size() > before);
  }

  final Assign.Builder job(String job, String script) {
    return Orders.assign(plane.leadership, job, script);
  }

  final Path inside(String job) {
    return root.resolve("n1/attempts/acme." + job + ".1.0/inside");
  }

  final String output(String job, int lines) throws Exception {
    Path log = inside(job).resolve("logs/stdout.0");
    await()
        .atMost(FakeControlPlane.PATIENCE)
        .until(() -> Files.exists(log) && Files.readAllLines(log).size() >= lines);
    return Files.readString(log).strip();
  }

  private static final String UNTIL_TERM =
      "exec 9<> <(:); trap 'echo asked; exit 3' TERM; echo up; while :; do read -t 0.02 -u 9; done";

  final Assign.Builder patient(String job) {
    return job(job, UNTIL_TERM);
  }

  final void run(Assign.Builder job, String name) throws Exception {
    plane.send(Orders.message(job));
    output(name, 1);
  }

  @Test
  void runsAsAPodWithoutPrivilegesAndLeavesNone() throws Exception {
    start();
    plane.send(
        Orders.message(
            job(
                "j",
                """
                id -u; pwd; grep -E '^(CapBnd|CapEff|NoNewPrivs)' /proc/self/status
                echo $OF_IMAGE $KUBERNETES_SERVICE_HOST $HEADGATE_JOB; touch /new 2>&1 | sed 's/.*: //'
                kill -KILL 1; cat /proc/1/environ 2>&1 | sed 's/.*: //'; ls -d %s %s 2> /dev/null
                echo kept > $HOME/kept; echo kept > $HEADGATE_CHECKPOINT_DIR/kept; touch /tmp/a; exit 7
                """
                    .formatted(
                        inside("j").getParent().resolve("assignment"),
                        root.resolve("n1/outbox")))));
    AttemptReport end = plane.awaitEnd("j");

    assertThat(end.getExitCode()).as("%s", end).isEqualTo(7);
    assertThat(end.getEndReason()).isEqualTo(EndReason.END_REASON_EXITED);
    List<String> lines = output("j", 1).lines().toList();
    assertThat(lines.getFirst()).matches("19[0-9]{8}");
    assertThat(lines.subList(1, lines.size()))
        .containsExactly(
            inside("j").resolve("work").toString(),
            "CapEff:\t0000000000000000",
            "CapBnd:\t0000000000000000",
            "NoNewPrivs:\t1",
            "yes tenants/acme/jobs/j",
            "Read-only file system",
            "Permission denied");
    assertThat(inside("j").resolve("work/kept")).hasContent("kept");
    assertThat(root.resolve("n1/checkpoints/acme/j/kept")).hasContent("kept");
    awaitNoPods();
    assertThat(plane.hellos.getLast().getRunsImages()).isTrue();
  }

  @Test
  void isPreemptedInOrderByItsNextAgent() throws Exception {
    start();
    run(
        Orders.withCallback(
            patient("j"), "echo callback of $HEADGATE_STOP_REASON, as $(id -u | cut -c1-2)"),
        "j");
    closeAgent();
    start();
    plane.send(Orders.stop(plane.leadership, "j", Stop.Kind.KIND_PREEMPT));
    AttemptReport end = plane.awaitEnd("j");

    assertThat(end.getEndReason()).isEqualTo(EndReason.END_REASON_STOPPED);
    assertThat(end.getExitCode()).isEqualTo(3);
    assertThat(output("j", 3)).isEqualTo("up\ncallback of preempted, as 19\nasked");
    awaitNoPods();
    plane.send(Orders.message(Orders.readLogs("r", "j", 1 << 20)));
    await()
        .atMost(FakeControlPlane.PATIENCE)
        .until(() ->
            plane.chunks.stream()
                .anyMatch(chunk -> chunk.getData().toStringUtf8().contains("asked")));
  }

  @Test
  void isGoneWhenItMayRunElsewhere() throws Exception {
    start();
    run(
        job("j", "trap '' TERM; echo up; while :; do sleep 1000; done")
            .setTerminationGrace(Durations.fromMillis(50))
            // Beside other tests the agent may hear nothing for two seconds while it starts.
            .setStopAfter(Durations.fromMillis(5000)),
        "j");
    plane.answersHeartbeats = false;
    assertThat(plane.awaitEnd("j").getEndReason()).isEqualTo(EndReason.END_REASON_OUT_OF_CONTACT);
    awaitNoPods();
  }

  @Test
  void savesItsWorkWhenItsPodIsDeletedAndWaitsAgain() throws Exception {
    start();
    run(Orders.withCallback(patient("j"), "echo saved"), "j");
    cluster().delete(FakeControlPlane.PATIENCE);
    AttemptReport end = plane.awaitEnd("j");

    assertThat(end.getEndReason()).isEqualTo(EndReason.END_REASON_NODE_STOPPED);
    assertThat(end.getError()).isEqualTo("its pod was deleted");
    assertThat(output("j", 3)).isEqualTo("up\nsaved\nasked");
  }

  @Test
  void isToldThatItHadTooMuchMemory() throws Exception {
    start();
    run(
        job("greedy", "echo up; sleep 3; head -c 300M /dev/zero | tail -n 1")
            .setMemoryBytes(64 << 20),
        "greedy");
    cluster().exhaustMemory();
    AttemptReport greedy = plane.awaitEnd("greedy");
    assertThat(greedy.getEndReason()).isEqualTo(EndReason.END_REASON_LIMIT_EXCEEDED);
    assertThat(greedy.getError()).isEqualTo("it used more memory than it may (OOMKilled)");
  }

  @Test
  void saysWhyItDoesNotStart() throws Exception {
    start();
    plane.send(
        Orders.message(
            job("absent", "true").setContainer(Container.newBuilder().setImage(Cluster.ABSENT))));
    AttemptReport absent = plane.awaitEnd("absent");
    assertThat(absent.getEndReason()).isEqualTo(EndReason.END_REASON_START_FAILED);
    assertThat(absent.getError()).startsWith("its image is not available: ErrImagePull: ");

    plane.send(Orders.message(job("typo", "true").clearCommand().addCommand("no-such-program")));
    AttemptReport typo = plane.awaitEnd("typo");
    assertThat(typo.getEndReason()).isEqualTo(EndReason.END_REASON_START_FAILED);
    assertThat(typo.getError()).contains("program not found: no-such-program");
    awaitNoPods();
  }

  @Test
  void leavesPodsOfOthersAloneAndRemovesOrphans() throws Exception {
    Path data = root.resolve("n1").toAbsolutePath();
    String owner = Agent.podOwner("n1", data);
    String name = PodRequest.nameOf(new AttemptKey(new JobName("acme", "j"), "", 1, 0), owner);
    cluster().leave(pod(name, "somebody", "acme.else.1.0"));
    cluster().leave(pod("left", owner, "acme.left.1.0"));
    start();
    await().atMost(FakeControlPlane.PATIENCE).until(() -> names().equals(List.of(name)));
    plane.send(Orders.message(job("j", "true")));
    AttemptReport end = plane.awaitEnd("j");

    assertThat(end.getEndReason()).isEqualTo(EndReason.END_REASON_REJECTED);
    assertThat(end.getError()).contains("another owner has a pod named " + name);
    assertThat(names()).containsExactly(name);
  }

  /// Ended pods may take a moment to disappear.
  final void awaitNoPods() {
    await().atMost(FakeControlPlane.PATIENCE).until(() -> cluster().pods().isEmpty());
  }

  private List<String> names() {
    return cluster().pods().stream().map(pod -> pod.getMetadata().getName()).toList();
  }

  private static Pod pod(String name, String owner, String attempt) {
    return new PodBuilder()
        .withNewMetadata()
        .withName(name)
        .withUid("u")
        .addToLabels("headgate.io/agent", owner)
        .addToAnnotations("headgate.io/attempt", attempt)
        .endMetadata()
        .withNewSpec()
        .withAutomountServiceAccountToken(false)
        // No node has this label.
        .addToNodeSelector("headgate.io/none", "true")
        .addNewContainer()
        .withName("job")
        .withImage(Cluster.IMAGE)
        .endContainer()
        .endSpec()
        .withNewStatus()
        .endStatus()
        .build();
  }

  @Test
  void endsInOrderAlthoughTheApiServerWasMadeToForgetIt() throws Exception {
    start();
    run(patient("j"), "j");
    cluster().forget();
    plane.send(Orders.stop(plane.leadership, "j", Stop.Kind.KIND_CANCEL));
    assertThat(plane.awaitEnd("j").getExitCode()).isEqualTo(3);
  }

  @Test
  void cannotRunOnOrStopOthersByReplacingItsSupervisorsFiles() throws Exception {
    start();
    run(patient("good"), "good");
    run(
        job(
                "bad",
                "trap '' TERM; cd %s; rm -rf control status lock spec; mkdir -p status/a; ln -s %s control; ls; echo up; sleep 1000"
                    .formatted(inside("bad"), inside("good").resolve("control")))
            .setAbortTimeout(Durations.fromMillis(1))
            .setTerminationGrace(Durations.fromMillis(1)),
        "bad");
    assertThat(output("bad", 8)).contains("lock", "spec");
    closeAgent();
    start();
    plane.send(Orders.stop(plane.leadership, "bad", Stop.Kind.KIND_CANCEL));
    plane.awaitEnd("bad");
    assertThat(Files.readString(inside("good").resolve("status"))).contains("state=running");
  }
}
