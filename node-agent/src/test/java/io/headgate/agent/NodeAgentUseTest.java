package io.headgate.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.headgate.agent.driver.nvml.FakeGpus;
import io.headgate.agent.driver.nvml.FakeGpus.Version;
import io.headgate.kit.config.Secret;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.time.TimeSource;
import io.headgate.proto.agent.v1.AttemptReport.State;
import io.headgate.proto.agent.v1.ConnectRequest;
import io.headgate.proto.agent.v1.UseReport;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A whole agent reports how long the slices of its jobs compute.
class NodeAgentUseTest {
  private static final Duration LOOKS = Duration.ofMillis(100);

  @TempDir Path root;
  private final FakeControlPlane plane = new FakeControlPlane();
  private Optional<NodeAgent> agent = Optional.empty();

  @AfterEach
  void stop() {
    agent.ifPresent(running -> running.stopJobsAndClose(FakeControlPlane.PATIENCE));
    plane.close();
  }

  private void start(FakeGpus gpus) {
    NodeAgent started =
        new NodeAgent(
            AgentConfig.of(root.resolve("n1"), "n1", plane.uri())
                .withJoinToken(Secret.of(FakeControlPlane.JOIN_TOKEN))
                .withGpus(
                    new GpuConfig(
                        GpuConfig.Driver.NVML,
                        new GpuConfig.Nvml(gpus.library().toString(), FakeControlPlane.PATIENCE),
                        GpuConfig.Rocm.DEFAULTS,
                        GpuConfig.Mig.DEFAULTS,
                        GpuConfig.Mps.DEFAULTS,
                        GpuConfig.Watchdog.DEFAULTS,
                        new GpuConfig.Health(LOOKS, false))),
            Telemetry.disabled(),
            TimeSource.system());
    agent = Optional.of(started);
    started.start();
    await().atMost(FakeControlPlane.PATIENCE).until(started::isReady);
  }

  private List<UseReport> told() {
    return List.copyOf(plane.said).stream()
        .flatMap(message -> message.getHeartbeat().getUsesList().stream())
        .toList();
  }

  @Test
  void tellsTheLastUseOfAJobBeforeItsEnd() throws Exception {
    FakeGpus gpus = FakeGpus.in(root, Version.V580).with(false);
    gpus.readings(0, "utilization 25");
    start(gpus);
    plane.send(
        Orders.message(
            Orders.assign(
                    plane.leadership,
                    "train",
                    "while [ ! -e $HEADGATE_CHECKPOINT_DIR/go ]; do sleep 0.05; done")
                .addSlices(Orders.slice(plane.registrations.getLast(), 0, "1"))));
    await()
        .atMost(FakeControlPlane.PATIENCE)
        .until(() -> told().stream().anyMatch(use -> use.getMeasuredMillis() > 300));
    Files.createFile(root.resolve("n1/checkpoints/acme/train/go"));
    plane.awaitEnd("train");

    List<ConnectRequest> said = List.copyOf(plane.said);
    ConnectRequest last =
        said.stream()
            .filter(message -> message.getHeartbeat().getUsesCount() > 0)
            .reduce((_, second) -> second)
            .orElseThrow();
    UseReport use = last.getHeartbeat().getUses(0);
    assertThat(use.getJob()).isEqualTo("tenants/acme/jobs/train");
    assertThat(use.getBusyMillis() / (double) use.getMeasuredMillis()).isBetween(0.24, 0.26);
    assertThat(use.hasUtilization()).as("it computes no more").isFalse();
    assertThat(said.indexOf(last))
        .isLessThan(
            said.indexOf(
                said.stream()
                    .filter(
                        message -> message.getUpdate().getReport().getState() == State.STATE_ENDED)
                    .findFirst()
                    .orElseThrow()));
  }

  @Test
  void tellsNothingOfAJobWithoutGpu() {
    start(FakeGpus.in(root, Version.V580).with(false));
    plane.send(Orders.message(Orders.assign(plane.leadership, "train", "true")));
    plane.awaitEnd("train");
    assertThat(told()).isEmpty();
  }
}
