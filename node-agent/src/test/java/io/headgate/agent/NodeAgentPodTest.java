package io.headgate.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.headgate.agent.driver.nvml.FakeGpus;
import io.headgate.agent.kubernetes.Cluster;
import io.headgate.agent.kubernetes.PodSettings;
import io.headgate.agent.kubernetes.StandInCluster;
import io.headgate.agent.process.NeededWalls;
import io.headgate.proto.agent.v1.AttemptReport;
import io.headgate.proto.agent.v1.AttemptReport.EndReason;
import io.headgate.proto.agent.v1.Stop;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/// Jobs as pods on a whole agent. The supervisors, their walls and the HTTP are real; API server
/// and kubelet are stand-ins.
@Execution(ExecutionMode.CONCURRENT)
class NodeAgentPodTest extends PodContract {
  private StandInCluster cluster;

  @Override
  Cluster cluster() {
    return cluster;
  }

  @BeforeEach
  void needWalls() throws Exception {
    NeededWalls.demand(root);
    cluster = new StandInCluster(root);
  }

  @Override
  @AfterEach
  void stop() {
    if (cluster != null) {
      cluster.answers = 200;
    }
    super.stop();
    if (cluster != null) {
      cluster.close();
    }
  }

  private long posts() {
    return cluster.calls.stream().filter(call -> call.startsWith("POST")).count();
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
  }

  @Test
  void isDeletedWhenItsKubeletHasSaidThatItIsOver() throws Exception {
    cluster.reports = new CompletableFuture<>();
    start();
    plane.send(Orders.message(job("j", "true")));
    await()
        .atMost(FakeControlPlane.PATIENCE)
        .until(
            () -> cluster.calls.stream().filter(call -> call.startsWith("GET hg-j")).count() > 3);
    assertThat(cluster.calls).noneMatch(call -> call.startsWith("DELETE"));
    cluster.reports.complete(null);
    assertThat(plane.awaitEnd("j").getExitCode()).isZero();
    awaitNoPods();
  }

  @Test
  void namesTheComponentThatRefusesIt() throws Exception {
    start();
    plane.send(
        Orders.message(
            job("foreign", "true")
                .setContainer(
                    io.headgate.proto.type.v1.Container.newBuilder()
                        .setImage("docker.io/busybox"))));
    AttemptReport foreign = plane.awaitEnd("foreign");
    assertThat(foreign.getEndReason()).isEqualTo(EndReason.END_REASON_START_FAILED);
    assertThat(foreign.getError()).contains("which allows registry.example/**");

    cluster.answers = 403;
    plane.send(Orders.message(job("forbidden", "true")));
    await()
        .atMost(FakeControlPlane.PATIENCE)
        .until(() -> Files.exists(inside("forbidden").resolveSibling("refused")));
    cluster.answers = 200;
    AttemptReport forbidden = plane.awaitEnd("forbidden");
    assertThat(forbidden.getEndReason()).isEqualTo(EndReason.END_REASON_REJECTED);
    assertThat(forbidden.getError()).isEqualTo("the API server refuses its pod: not now");
    awaitNoPods();
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
    closeAgent();
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
    awaitNoPods();
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
    awaitNoPods();
  }

  @Test
  void doesNotStartAfterItsMachineWas() throws Exception {
    cluster.starts = false;
    start();
    plane.send(Orders.message(job("j", "true")));
    await().atMost(FakeControlPlane.PATIENCE).until(() -> !cluster.pods().isEmpty());
    closeAgent();
    Path spec = inside("j").resolve("spec");
    Files.writeString(
        spec, Files.readString(spec).replaceFirst("boot_id=.*", "boot_id=of-an-earlier-boot"));
    cluster.startAll();
    start();

    assertThat(plane.awaitEnd("j").getEndReason()).isEqualTo(EndReason.END_REASON_OUT_OF_CONTACT);
    assertThat(inside("j").resolve("status")).doesNotExist();
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
        .containsEntry("cpu", new Quantity("1500m"))
        .containsEntry("memory", new Quantity("1073741824"));
    assertThat(container.getResources().getRequests())
        .as("what it requests is set aside")
        .isEqualTo(Map.of("cpu", new Quantity("1500m"), "memory", new Quantity("1073741824")));
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
    assertThat(device).matches("- headgate.io/slice=[0-9A-Za-z]{11}\\.acme\\.j\\.1\\.0\n");
    assertThat(
            Files.readString(
                root.resolve("cdi/headgate.io-slice-" + device.strip().substring(20) + ".json")))
        .contains("/dev/nvidia1", "\"hostPath\": \"/usr/lib\"")
        .doesNotContain("/dev/nvidia0");
  }

  @Test
  void aJobThatRequestsNothingHasItsShareOfTheNode() throws Exception {
    FakeGpus gpus = FakeGpus.in(root, FakeGpus.Version.V580).with(false).with(false);
    cluster.starts = false;
    start(PodSettings.Devices.NRI, gpus(gpus));
    plane.send(
        Orders.message(
            job("j", "true").addSlices(Orders.slice(plane.registrations.getLast(), 1, "1"))));
    await().atMost(FakeControlPlane.PATIENCE).until(() -> !cluster.pods().isEmpty());
    Container container = cluster.pods().getFirst().getSpec().getContainers().getFirst();
    long memory = plane.registrations.getLast().getMemoryBytes() / 10 * 9 / 2;
    long cpu = plane.registrations.getLast().getCpuMillis() / 2;

    Map<String, Quantity> limits = container.getResources().getLimits();
    assertThat(bytes(limits.get("memory"))).isBetween(memory - 10, memory + 10);
    assertThat(bytes(limits.get("cpu")) * 1000).isEqualTo(Math.max(1000, cpu));
    assertThat(limits).as("the kubelet's disk is not known").doesNotContainKey("ephemeral-storage");
    Map<String, Quantity> requests = container.getResources().getRequests();
    assertThat(bytes(requests.get("memory")))
        .as("only a part is set aside, so that the cluster's own pods fit, too")
        .isEqualTo(bytes(limits.get("memory")) / 10);
    String spec = Files.readString(inside("j").resolve("spec"));
    assertThat(spec).containsPattern("(?m)^processes=[1-9][0-9]{2,}$");
    assertThat(Files.readString(inside("j").resolve("env")))
        .contains("HEADGATE_MEMORY_LIMIT_BYTES=" + bytes(limits.get("memory")));
  }

  private static long bytes(Quantity quantity) {
    return quantity.getNumericalAmount().longValue();
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
    gpus.uses(0, job, 79 * FakeGpus.GIB);
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
