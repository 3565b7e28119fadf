package io.headgate.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.util.Durations;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.core.JobName;
import io.headgate.agent.driver.nvml.FakeGpus;
import io.headgate.agent.kubernetes.PodRequest;
import io.headgate.agent.kubernetes.PodSettings;
import io.headgate.agent.kubernetes.StandInCluster;
import io.headgate.agent.process.FreshProgram;
import io.headgate.agent.process.SupervisorBinary;
import io.headgate.agent.runtime.Agent;
import io.headgate.kit.config.Secret;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.time.TimeSource;
import io.headgate.proto.agent.v1.Assign;
import io.headgate.proto.agent.v1.AttemptReport;
import io.headgate.proto.agent.v1.AttemptReport.EndReason;
import io.headgate.proto.agent.v1.Stop;
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
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/// Jobs as pods on a whole agent. The supervisors, their walls and the HTTP are real; API server
/// and kubelet are stand-ins.
@Execution(ExecutionMode.CONCURRENT)
class NodeAgentPodTest {
  @TempDir Path root;
  private final FakeControlPlane plane = new FakeControlPlane();
  private StandInCluster cluster;
  private Optional<NodeAgent> agent = Optional.empty();

  @BeforeEach
  void needNamespaces() throws Exception {
    Process probe =
        FreshProgram.start(
            new ProcessBuilder(SupervisorBinary.extract(root).toString(), "--probe"));
    assumeThat(probe.inputReader().lines().toList())
        .as("this machine lets us make containers")
        .contains("user=", "namespaces=");
    cluster = new StandInCluster(root);
  }

  @AfterEach
  void stop() {
    if (cluster != null) {
      cluster.answers = 200;
    }
    agent.ifPresent(running -> running.stopJobsAndClose(FakeControlPlane.PATIENCE));
    if (cluster != null) {
      cluster.close();
    }
    plane.close();
  }

  private void start() {
    start(PodSettings.Devices.NRI, GpuConfig.NONE);
  }

  private void start(PodSettings.Devices devices, GpuConfig gpus) {
    KubernetesConfig config =
        new KubernetesConfig(
            true,
            cluster.uri(),
            root.resolve("token"),
            root.resolve("ca.crt"),
            StandInCluster.NAMESPACE,
            Optional.of(StandInCluster.NODE),
            Optional.of("registry.example/base:1"),
            devices,
            Duration.ofMillis(200),
            FakeControlPlane.PATIENCE);
    int before = plane.hellos.size();
    NodeAgent started =
        new NodeAgent(
            AgentConfig.of(root.resolve("n1"), "n1", plane.uri())
                .withJoinToken(Secret.of(FakeControlPlane.JOIN_TOKEN))
                .withGpus(gpus)
                .withContainers(
                    ContainersConfig.NONE
                        .below(root)
                        .lending(List.of(Path.of("/usr/lib")))
                        .allowing(List.of("registry.example/**"), false))
                .withKubernetes(config),
            Telemetry.disabled(),
            TimeSource.system());
    agent = Optional.of(started);
    started.start();
    await()
        .atMost(FakeControlPlane.PATIENCE)
        .until(() -> started.isReady() && plane.hellos.size() > before);
  }

  private Assign.Builder job(String job, String script) {
    return Orders.assign(plane.leadership, job, script);
  }

  private Path inside(String job) {
    return root.resolve("n1/attempts/acme." + job + ".1.0/inside");
  }

  private String output(String job, int lines) throws Exception {
    Path log = inside(job).resolve("logs/stdout.0");
    await()
        .atMost(FakeControlPlane.PATIENCE)
        .until(() -> Files.exists(log) && Files.readAllLines(log).size() >= lines);
    return Files.readString(log).strip();
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
    assertThat(cluster.pods()).isEmpty();
    assertThat(plane.hellos.getLast().getRunsImages()).isTrue();
  }

  private static final String UNTIL_TERM =
      "exec 9<> <(:); trap 'echo asked; exit 3' TERM; echo up; while :; do read -t 0.02 -u 9; done";

  private Assign.Builder patient(String job) {
    return job(job, UNTIL_TERM);
  }

  private void run(Assign.Builder job, String name) throws Exception {
    plane.send(Orders.message(job));
    output(name, 1);
  }

  private long posts() {
    return cluster.calls.stream().filter(call -> call.startsWith("POST")).count();
  }

  @Test
  void isPreemptedInOrderByItsNextAgent() throws Exception {
    start();
    run(
        Orders.withCallback(
            patient("j"), "echo callback of $HEADGATE_STOP_REASON, as $(id -u | cut -c1-2)"),
        "j");
    agent.orElseThrow().close();
    start();
    plane.send(Orders.stop(plane.leadership, "j", Stop.Kind.KIND_PREEMPT));
    AttemptReport end = plane.awaitEnd("j");

    assertThat(end.getEndReason()).isEqualTo(EndReason.END_REASON_STOPPED);
    assertThat(end.getExitCode()).isEqualTo(3);
    assertThat(output("j", 3)).isEqualTo("up\ncallback of preempted, as 19\nasked");
    assertThat(posts()).isOne();
    assertThat(cluster.pods()).isEmpty();
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
            .setStopAfter(Durations.fromMillis(1500)),
        "j");
    plane.answersHeartbeats = false;
    assertThat(plane.awaitEnd("j").getEndReason()).isEqualTo(EndReason.END_REASON_OUT_OF_CONTACT);
    assertThat(cluster.pods()).isEmpty();
  }

  @Test
  void savesItsWorkWhenSomebodyDeletesItAndWaitsAgain() throws Exception {
    start();
    run(Orders.withCallback(patient("j"), "echo saved"), "j");
    cluster.delete(FakeControlPlane.PATIENCE);
    AttemptReport end = plane.awaitEnd("j");

    assertThat(end.getEndReason()).isEqualTo(EndReason.END_REASON_NODE_STOPPED);
    assertThat(end.getError()).isEqualTo("its pod was deleted");
    assertThat(output("j", 3)).isEqualTo("up\nsaved\nasked");
  }

  @Test
  void saysWhyItsKubeletKilledIt() throws Exception {
    start();
    run(patient("evicted"), "evicted");
    cluster.kill(status ->
        status
            .withPhase("Failed")
            .withReason("Evicted")
            .withMessage("The node was low on resource: memory."));
    AttemptReport evicted = plane.awaitEnd("evicted");
    assertThat(evicted.getEndReason()).isEqualTo(EndReason.END_REASON_LOST);
    assertThat(evicted.getError())
        .isEqualTo("its pod ended: Evicted: The node was low on resource: memory.");

    run(patient("greedy"), "greedy");
    cluster.kill(status -> status.withPhase("Failed").withReason("OOMKilled"));
    AttemptReport greedy = plane.awaitEnd("greedy");
    assertThat(greedy.getEndReason()).isEqualTo(EndReason.END_REASON_LIMIT_EXCEEDED);
    assertThat(greedy.getError()).contains("more memory than it may");
  }

  @Test
  void saysWhyItDoesNotStart() throws Exception {
    start();
    plane.send(
        Orders.message(
            job("absent", "true")
                .setContainer(
                    io.headgate.proto.type.v1.Container.newBuilder()
                        .setImage(StandInCluster.ABSENT))));
    AttemptReport absent = plane.awaitEnd("absent");
    assertThat(absent.getEndReason()).isEqualTo(EndReason.END_REASON_START_FAILED);
    assertThat(absent.getError())
        .isEqualTo("its image cannot be had: ErrImagePull: manifest unknown");

    plane.send(
        Orders.message(
            job("foreign", "true")
                .setContainer(
                    io.headgate.proto.type.v1.Container.newBuilder()
                        .setImage("docker.io/busybox"))));
    AttemptReport foreign = plane.awaitEnd("foreign");
    assertThat(foreign.getEndReason()).isEqualTo(EndReason.END_REASON_START_FAILED);
    assertThat(foreign.getError()).contains("which allows registry.example/**");

    plane.send(Orders.message(job("typo", "true").clearCommand().addCommand("no-such-program")));
    AttemptReport typo = plane.awaitEnd("typo");
    assertThat(typo.getEndReason()).isEqualTo(EndReason.END_REASON_START_FAILED);
    assertThat(typo.getError()).contains("cannot run no-such-program");

    cluster.answers = 403;
    plane.send(Orders.message(job("forbidden", "true")));
    await()
        .atMost(FakeControlPlane.PATIENCE)
        .until(() -> Files.exists(inside("forbidden").resolveSibling("refused")));
    cluster.answers = 200;
    AttemptReport forbidden = plane.awaitEnd("forbidden");
    assertThat(forbidden.getEndReason()).isEqualTo(EndReason.END_REASON_REJECTED);
    assertThat(forbidden.getError()).isEqualTo("the API server refuses its pod: not now");
    assertThat(cluster.pods()).isEmpty();
  }

  @Test
  void leavesAlonePodsOfOthersAndRemovesThoseOfNobody() throws Exception {
    Path data = root.resolve("n1").toAbsolutePath();
    String owner = Agent.podOwner("n1", data);
    String name = PodRequest.nameOf(new AttemptKey(new JobName("acme", "j"), "", 1, 0), owner);
    Pod others = pod(name, "somebody", "acme.else.1.0");
    cluster.leave(others);
    cluster.leave(pod("left", owner, "acme.left.1.0"));
    start();
    await().atMost(FakeControlPlane.PATIENCE).until(() -> cluster.pods().equals(List.of(others)));
    plane.send(Orders.message(job("j", "true")));
    AttemptReport end = plane.awaitEnd("j");

    assertThat(end.getEndReason()).isEqualTo(EndReason.END_REASON_REJECTED);
    assertThat(end.getError()).contains("a pod of somebody else's is called " + name);
    assertThat(cluster.pods()).containsExactly(others);
  }

  private static Pod pod(String name, String owner, String attempt) {
    return new PodBuilder()
        .withNewMetadata()
        .withName(name)
        .withUid("u")
        .addToLabels("headgate.io/agent", owner)
        .addToAnnotations("headgate.io/attempt", attempt)
        .endMetadata()
        .withNewStatus()
        .endStatus()
        .build();
  }

  @Test
  void outlastsTheApiServer() throws Exception {
    start();
    cluster.answers = 0;
    plane.send(Orders.message(patient("j")));
    await()
        .atMost(FakeControlPlane.PATIENCE)
        .until(() -> Files.exists(inside("j").resolve("spec")));
    cluster.answers = 503;
    agent.orElseThrow().close();
    start();
    cluster.answers = 200;
    assertThat(output("j", 1)).isEqualTo("up");

    cluster.answers = 0;
    plane.send(Orders.stop(plane.leadership, "j", Stop.Kind.KIND_CANCEL));
    assertThat(output("j", 2)).as("it ends without one").isEqualTo("up\nasked");
    await()
        .atMost(FakeControlPlane.PATIENCE)
        .until(() -> Files.readString(inside("j").resolve("status")).contains("exit_code=3"));
    assertThat(plane.updates)
        .as("but is not known to be gone")
        .noneMatch(update -> update.getReport().getState() == AttemptReport.State.STATE_ENDED);
    cluster.answers = 200;
    assertThat(plane.awaitEnd("j").getExitCode()).isEqualTo(3);
    assertThat(posts()).isOne();
    assertThat(cluster.pods()).isEmpty();
  }

  @Test
  void isStoppedWhileItsPodWaits() throws Exception {
    cluster.starts = false;
    start();
    plane.send(Orders.message(job("j", "true")));
    await().atMost(FakeControlPlane.PATIENCE).until(() -> !cluster.pods().isEmpty());
    plane.send(Orders.stop(plane.leadership, "j", Stop.Kind.KIND_CANCEL));
    AttemptReport end = plane.awaitEnd("j");

    assertThat(end.getEndReason()).isEqualTo(EndReason.END_REASON_STOPPED);
    assertThat(end.getError()).isEqualTo("stopped before it started");
    assertThat(cluster.pods()).isEmpty();
  }

  @Test
  void doesNotStartAfterItsMachineWas() throws Exception {
    cluster.starts = false;
    start();
    plane.send(Orders.message(job("j", "true")));
    await().atMost(FakeControlPlane.PATIENCE).until(() -> !cluster.pods().isEmpty());
    agent.orElseThrow().close();
    Path spec = inside("j").resolve("spec");
    Files.writeString(
        spec, Files.readString(spec).replaceFirst("boot_id=.*", "boot_id=of-an-earlier-boot"));
    cluster.startAll();
    start();

    assertThat(plane.awaitEnd("j").getEndReason()).isEqualTo(EndReason.END_REASON_OUT_OF_CONTACT);
    assertThat(inside("j").resolve("status")).doesNotExist();
  }

  @Test
  void endsInOrderAlthoughTheApiServerWasMadeToForgetIt() throws Exception {
    start();
    run(patient("j"), "j");
    cluster.forget();
    plane.send(Orders.stop(plane.leadership, "j", Stop.Kind.KIND_CANCEL));
    assertThat(plane.awaitEnd("j").getExitCode()).isEqualTo(3);
  }

  @Test
  void neitherRunsOnNorStopsAnotherByPuttingSomethingInItsSupervisorsPlace() throws Exception {
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
    agent.orElseThrow().close();
    start();
    plane.send(Orders.stop(plane.leadership, "bad", Stop.Kind.KIND_CANCEL));
    plane.awaitEnd("bad");
    assertThat(Files.readString(inside("good").resolve("status"))).contains("state=running");
  }

  @Test
  void asksForNothingButWhatItNeeds() throws Exception {
    FakeGpus gpus = FakeGpus.in(root, FakeGpus.Version.V580).with(false).with(false);
    cluster.starts = false;
    start(PodSettings.Devices.NRI, gpus(gpus));
    plane.send(
        Orders.message(
            job("j", "true")
                .setCpuMillis(1500)
                .setMemoryBytes(1 << 30)
                .putEnvironment("NVIDIA_VISIBLE_DEVICES", "all")
                .addSlices(Orders.slice(plane.registrations.getLast(), 1, "1"))));
    await().atMost(FakeControlPlane.PATIENCE).until(() -> !cluster.pods().isEmpty());
    Pod pod = cluster.pods().getFirst();
    PodSpec spec = pod.getSpec();
    Container container = spec.getContainers().getFirst();

    assertThat(spec.getNodeName()).isEqualTo(StandInCluster.NODE);
    assertThat(spec.getSecurityContext().getRunAsNonRoot()).isTrue();
    assertThat(spec.getSecurityContext().getRunAsUser()).isGreaterThan(1_900_000_000L - 1);
    assertThat(spec.getSecurityContext().getSeccompProfile().getType()).isEqualTo("RuntimeDefault");
    assertThat(container.getSecurityContext().getAllowPrivilegeEscalation()).isFalse();
    assertThat(container.getSecurityContext().getReadOnlyRootFilesystem()).isTrue();
    assertThat(container.getSecurityContext().getCapabilities().getDrop()).containsExactly("ALL");
    assertThat(container.getResources().getLimits())
        .isEqualTo(Map.of("cpu", new Quantity("1500m"), "memory", new Quantity("1073741824")))
        .isEqualTo(container.getResources().getRequests());
    assertThat(spec.getVolumes().stream().filter(volume -> volume.getHostPath() != null))
        .extracting(volume -> volume.getHostPath().getPath())
        .satisfiesExactly(
            program -> assertThat(program).contains("/bin/headgate-supervisor-"),
            inside -> assertThat(inside).isEqualTo(inside("j").toString()),
            checkpoints ->
                assertThat(checkpoints)
                    .isEqualTo(root.resolve("n1/checkpoints/acme/j").toString()));
    assertThat(Serialization.asJson(pod))
        .contains("\"automountServiceAccountToken\":false", "\"restartPolicy\":\"Never\"")
        .doesNotContain("hostNetwork", "hostPID", "hostIPC", "\"privileged\":true", "\"add\":");
    assertThat(container.getEnv())
        .anySatisfy(entry ->
            assertThat(entry)
                .hasToString(
                    "EnvVar(name=NVIDIA_VISIBLE_DEVICES, value=void, valueFrom=null, additionalProperties={})"));
    String device = pod.getMetadata().getAnnotations().get("cdi-devices.nri.io/container.job");
    assertThat(device).matches("- headgate.io/slice=[0-9a-f]+\\.acme\\.j\\.1\\.0\n");
    assertThat(
            Files.readString(
                root.resolve("cdi/headgate.io-slice-" + device.strip().substring(20) + ".json")))
        .contains("/dev/nvidia1", "\"hostPath\": \"/usr/lib\"")
        .doesNotContain("/dev/nvidia0");
  }

  @Test
  void isHeldToItsSlices() throws Exception {
    FakeGpus gpus = FakeGpus.in(root, FakeGpus.Version.V580).with(false);
    start(PodSettings.Devices.NVIDIA, gpus(gpus));
    run(
        patient("greedy")
            .putEnvironment("MARK", root.toString())
            .addSlices(Orders.slice(plane.registrations.getLast(), 0, "1/2")),
        "greedy");
    PodSpec spec = cluster.pods().getFirst().getSpec();
    assertThat(spec.getRuntimeClassName()).isEqualTo("nvidia");
    assertThat(Serialization.asJson(spec)).contains("\"value\":\"headgate.io/slice=");
    long job = Processes.ofJob("MARK=" + root).getFirst();
    gpus.processes(0, job + " " + 79 * FakeGpus.GIB + " compute -1");
    AttemptReport end = plane.awaitEnd("greedy");

    assertThat(end.getEndReason()).isEqualTo(EndReason.END_REASON_LIMIT_EXCEEDED);
    assertThat(end.getError()).contains("used 80896 MiB");
  }

  private static GpuConfig gpus(FakeGpus gpus) {
    return new GpuConfig(
        GpuConfig.Driver.NVML,
        new GpuConfig.Nvml(gpus.library().toString(), FakeControlPlane.PATIENCE),
        GpuConfig.Rocm.DEFAULTS,
        GpuConfig.Mig.DEFAULTS,
        GpuConfig.Mps.DEFAULTS,
        GpuConfig.Watchdog.DEFAULTS,
        GpuConfig.Health.DEFAULTS);
  }
}
