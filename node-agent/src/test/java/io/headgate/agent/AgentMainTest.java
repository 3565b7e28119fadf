package io.headgate.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import io.grpc.Status;
import io.headgate.kit.config.ByteSize;
import io.headgate.kit.config.ConfigException;
import io.headgate.kit.failure.Refusal;
import io.headgate.kit.testing.TestJvm;
import io.headgate.proto.agent.v1.AttemptReport;
import io.headgate.proto.agent.v1.AttemptReport.State;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The agent as a process: how it is configured, and that neither its end nor its death touches a
/// job.
class AgentMainTest {
  @TempDir Path root;
  private final List<Process> processes = new ArrayList<>();

  @AfterEach
  void endProcesses() throws InterruptedException {
    for (Process process : processes) {
      process.destroy();
      if (!ends(process)) {
        process.destroyForcibly().waitFor();
      }
    }
  }

  private Process launch(FakeControlPlane plane) throws Exception {
    int before = plane.hellos.size();
    Process process = launch(plane, FakeControlPlane.JOIN_TOKEN);
    await().atMost(FakeControlPlane.PATIENCE).until(() -> plane.hellos.size() > before);
    return process;
  }

  private Process launch(FakeControlPlane plane, String joinToken) throws Exception {
    Path token = Files.writeString(root.resolve("token"), joinToken + "\n");
    List<String> command = TestJvm.command();
    command.addAll(
        List.of(
            "-cp",
            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
            AgentMain.class.getName(),
            "--data",
            root.resolve("data").toString(),
            "--node=gpu-1",
            "--server",
            plane.uri().toString(),
            "--join-token-file",
            token.toString(),
            "--simulate-gpus",
            "4xH100"));
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(new File(root + "/agent.log")))
            .start();
    processes.add(process);
    return process;
  }

  private static boolean ends(Process process) throws InterruptedException {
    return process.waitFor(FakeControlPlane.PATIENCE.toSeconds(), TimeUnit.SECONDS);
  }

  private void let(String job) throws Exception {
    Files.createFile(root.resolve("data/checkpoints/acme/" + job + "/go"));
  }

  @Test
  void endsAtOnceWhenItCannotWriteItsRecordsSoThatItIsStartedAgain() throws Exception {
    try (FakeControlPlane plane = new FakeControlPlane()) {
      Process agent = launch(plane);
      Path attempts = root.resolve("data/attempts");
      Files.delete(attempts);
      Files.createFile(attempts);
      plane.send(Orders.message(Orders.assign(plane.leadership, "lost", "true")));

      assertThat(ends(agent)).isTrue();
      assertThat(agent.exitValue()).isEqualTo(70);
      assertThat(Files.readString(root.resolve("agent.log")))
          .contains("the agent cannot go on")
          .as("no part is waited for in vain")
          .doesNotContain("did not stop within");
    }
  }

  @Test
  void endsWith2AndSaysOnceWhatToDoIfItsJoinTokenIsRefused() throws Exception {
    try (FakeControlPlane plane = new FakeControlPlane()) {
      Process agent = launch(plane, "used-up");

      assertThat(ends(agent)).isTrue();
      assertThat(agent.exitValue()).isEqualTo(2);
      assertThat(Files.readAllLines(root.resolve("agent.log")))
          .filteredOn(line -> line.contains("join"))
          .singleElement()
          .asString()
          .contains("the join token is not known (JOIN_TOKEN_REJECTED)")
          .contains("Get a token of the pool with headgate join-token POOL");
      assertThat(plane.joins).hasValue(1);
    }
  }

  @Test
  void endsWith2IfItsKeyIsUnknownButWaitsForAServiceThatIsAway() throws Exception {
    try (FakeControlPlane plane = new FakeControlPlane()) {
      Process agent = launch(plane);
      agent.destroy();
      assertThat(ends(agent)).isTrue();

      plane.keyRefusal = Optional.of(Refusal.unavailable("UNAVAILABLE", "away", Duration.ZERO));
      int before = plane.exchanges.get();
      Process second = launch(plane, FakeControlPlane.JOIN_TOKEN);
      await().atMost(FakeControlPlane.PATIENCE).until(() -> plane.exchanges.get() > before + 2);
      assertThat(second.isAlive()).isTrue();

      plane.keyRefusal =
          Optional.of(Refusal.of(Status.Code.UNAUTHENTICATED, "KEY_REJECTED", "unknown key"));
      assertThat(ends(second)).isTrue();
      assertThat(second.exitValue()).isEqualTo(2);
      assertThat(Files.readAllLines(root.resolve("agent.log")))
          .filteredOn(line -> line.contains("is unknown, revoked or expired"))
          .singleElement()
          .asString()
          .contains("the key of tenants/acme/nodes/gpu-1")
          .contains("headgate join-token onprem");
    }
  }

  @Test
  void killedBeforeItHeardThatItJoinedItAsksAgainAsTheSameMachine() throws Exception {
    try (FakeControlPlane plane = new FakeControlPlane()) {
      plane.losesEnrolments = true;
      Process first = launch(plane, FakeControlPlane.JOIN_TOKEN);
      await().atMost(FakeControlPlane.PATIENCE).until(() -> !plane.enrolments.isEmpty());
      first.destroyForcibly().waitFor();
      assertThat(root.resolve("data/identity")).doesNotExist();
      int asked = plane.enrolments.size();

      plane.losesEnrolments = false;
      launch(plane);
      assertThat(plane.enrolments).hasSizeGreaterThan(asked);
      assertThat(Set.copyOf(plane.enrolments)).as("one request, repeated").hasSize(1);
    }
  }

  @Test
  void survivesItsOwnEndAndItsOwnDeathWithEveryJobAndExactExitCodes() throws Exception {
    try (FakeControlPlane plane = new FakeControlPlane()) {
      Process first = launch(plane);
      for (int i = 1; i <= 3; i++) {
        plane.send(
            Orders.message(
                Orders.assign(
                    plane.leadership,
                    "j" + i,
                    "echo started >> $HEADGATE_CHECKPOINT_DIR/starts\n"
                        + "until [ -e $HEADGATE_CHECKPOINT_DIR/go ]; do read -t 0.05 <> <(:); done\n"
                        + "exit 10"
                        + i)));
        plane.awaitState("j" + i, State.STATE_RUNNING);
      }
      // An init system's stop: the agent ends in order, no job does.
      first.destroy();
      assertThat(ends(first)).isTrue();

      Process second = launch(plane);
      assertThat(plane.hellos.getLast().getAttemptsList())
          .extracting(AttemptReport::getState)
          .hasSize(3)
          .allMatch(state -> state == State.STATE_RUNNING || state == State.STATE_STARTING);
      let("j1");
      assertThat(plane.awaitEnd("j1").getExitCode()).isEqualTo(101);

      second.destroyForcibly().waitFor();
      let("j2");
      launch(plane);
      assertThat(plane.awaitEnd("j2").getExitCode()).isEqualTo(102);
      let("j3");
      assertThat(plane.awaitEnd("j3").getExitCode()).isEqualTo(103);
      for (int i = 1; i <= 3; i++) {
        assertThat(Files.readString(root.resolve("data/checkpoints/acme/j" + i + "/starts")))
            .isEqualTo("started\n");
      }
      // A known node is of use at once, and tells what it has when it has looked at its devices.
      await().atMost(FakeControlPlane.PATIENCE).until(() -> plane.registrations.size() >= 2);
    }
  }

  @Test
  void takesFlagsOverTheEnvironmentAndTheEnvironmentOverTheFile() throws Exception {
    Path file =
        Files.writeString(
            root.resolve("agent.yaml"),
            """
            agent:
              data: /from/file
              node: file
              cpus: 12
              memory: 64GiB
              logs: {file-size: 1MiB, files: 3}
              keep: {attempts: 5, time: 1h}
              endpoints: {schedulers: ["http://a:1", "http://b:2"]}
              gpu:
                driver: nvml
                nvml: {library: /opt/libnvidia-ml.so.1, timeout: 5s, checkpoint: /opt/cuda-checkpoint}
                mig: {mode: auto, strangers: remove}
                mps: {use: auto, protocol: v3, directory: /run/mps, reserve: 1GiB, compute: limited}
                watchdog: {interval: 1s}
                health: {interval: 30s, dcgm-names: true}
                lock: {use: true, directory: /run/mine}
            telemetry: {log-level: debug}
            """);
    AgentConfig config =
        AgentMain.configuration(
                new String[] {"--config", file.toString(), "--node=flag"},
                Map.of("HEADGATE_AGENT_NODE", "env", "HEADGATE_AGENT_DATA", "/from/env"))
            .agent();

    assertThat(config.node()).hasValue("flag");
    assertThat(config.data()).isEqualTo(Path.of("/from/env"));
    assertThat(config.cpus()).hasValue(12);
    assertThat(config.logs().files()).isEqualTo(3);
    assertThat(config.keep().time()).isEqualTo(Duration.ofHours(1));
    assertThat(config.endpoints().schedulers()).hasSize(2);
    assertThat(config.gpu())
        .isEqualTo(
            new GpuConfig(
                GpuConfig.Driver.NVML,
                new GpuConfig.Nvml(
                    "/opt/libnvidia-ml.so.1",
                    Duration.ofSeconds(5),
                    Optional.of(Path.of("/opt/cuda-checkpoint")),
                    Duration.ofSeconds(60),
                    GpuConfig.Nvml.Remains.HOLD),
                GpuConfig.Rocm.DEFAULTS,
                new GpuConfig.Mig(GpuConfig.Mig.Mode.AUTO, GpuConfig.Mig.Strangers.REMOVE),
                new GpuConfig.Mps(
                    GpuConfig.Mps.Use.AUTO,
                    GpuConfig.Mps.Protocol.V3,
                    Path.of("/usr/bin/nvidia-cuda-mps-control"),
                    Path.of("/run/mps"),
                    Duration.ofSeconds(10),
                    ByteSize.ofMebibytes(1024),
                    GpuConfig.Mps.Compute.LIMITED),
                new GpuConfig.Watchdog(Duration.ofSeconds(1), GpuConfig.Watchdog.DEFAULTS.grace()),
                new GpuConfig.Health(Duration.ofSeconds(30), true),
                new GpuConfig.Lock(true, Optional.of(Path.of("/run/mine")))));
    assertThat(config.server()).hasToString("http://127.0.0.1:7400");
  }

  @Test
  void explainsItselfAndItsSettings() {
    assertThat(AgentMain.wanted(List.of("--help")))
        .hasValueSatisfying(help -> assertThat(help).startsWith("usage: headgate-agent"));
    assertThat(AgentMain.wanted(List.of("--settings")))
        .hasValueSatisfying(
            text -> assertThat(text).contains("agent.walls.first-user", "HEADGATE_AGENT_DATA"));
    assertThat(AgentMain.wanted(List.of("--data", "/d"))).isEmpty();
  }

  @Test
  void refusesWhatItDoesNotKnowByName() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> AgentMain.configuration(new String[] {"--gpus", "8"}, Map.of()))
        .withMessageContaining("--gpus")
        .withMessageContaining("--simulate-gpus");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> AgentMain.configuration(new String[] {"--data"}, Map.of()))
        .withMessageContaining("--data needs a value");
    assertThatExceptionOfType(ConfigException.class)
        .isThrownBy(() -> AgentMain.configuration(new String[0], Map.of()))
        .withMessageContaining("data");
    assertThatExceptionOfType(ConfigException.class)
        .isThrownBy(() ->
            AgentMain.configuration(new String[] {"--data=/d", "--simulate-gpus=eight"}, Map.of()))
        .withMessageContaining("eight");
    String longPath = "/run/" + "x".repeat(60);
    Map<String, String> wrong =
        Map.of(
            "HEADGATE_AGENT_GPU_MPS_DIRECTORY",
            longPath,
            "HEADGATE_AGENT_GPU_MPS_CONTROL",
            "mps-control",
            "HEADGATE_AGENT_GPU_MPS_TIMEOUT",
            "1ms",
            "HEADGATE_AGENT_GPU_MPS_USE",
            "sometimes");
    wrong.forEach((key, value) ->
        assertThatExceptionOfType(ConfigException.class)
            .as(key)
            .isThrownBy(
                () -> AgentMain.configuration(new String[] {"--data=/d"}, Map.of(key, value)))
            .withMessageContaining("mps"));
    assertThat(
            AgentMain.configuration(
                    new String[] {"--data=/d"}, Map.of("HEADGATE_AGENT_GPU_MPS_USE", "off"))
                .agent()
                .gpu()
                .mps())
        .isEqualTo(GpuConfig.Mps.DEFAULTS);
    Map<String, String> wrongOfKubernetes =
        Map.of(
            "HEADGATE_AGENT_KUBERNETES_NAMESPACE",
            "No_Namespace",
            "HEADGATE_AGENT_KUBERNETES_DEVICES",
            "hostpath",
            "HEADGATE_AGENT_KUBERNETES_PULL_PATIENCE",
            "-1s");
    wrongOfKubernetes.forEach((key, value) ->
        assertThatExceptionOfType(ConfigException.class)
            .as(key)
            .isThrownBy(
                () -> AgentMain.configuration(new String[] {"--data=/d"}, Map.of(key, value)))
            .withMessageContaining("kubernetes"));
    assertThatExceptionOfType(ConfigException.class)
        .isThrownBy(() ->
            AgentMain.configuration(
                new String[] {"--data=/d"},
                Map.of(
                    "HEADGATE_AGENT_KUBERNETES_USE", "true", "HEADGATE_AGENT_GPU_MPS_USE", "auto")))
        .withMessageContaining("gpu.mps.use: auto cannot be combined with kubernetes.use");
    for (String driver : List.of("nvml", "rocm")) {
      assertThatExceptionOfType(ConfigException.class)
          .isThrownBy(() ->
              AgentMain.configuration(
                  new String[] {"--data=/d", "--simulate-gpus=1xH100"},
                  Map.of("HEADGATE_AGENT_GPU_DRIVER", driver)))
          .withMessageContaining("simulate-gpus does not work with gpu.driver " + driver);
    }
  }
}
