package io.headgate.agent.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.agent.ContainersConfig;
import io.headgate.agent.TestConfigs;
import io.headgate.agent.WallsConfig;
import io.headgate.agent.driver.CpuOnlyDriver;
import io.headgate.agent.driver.GpuDriver;
import io.headgate.agent.kubernetes.PodSettings;
import io.headgate.agent.process.SupervisorSpec;
import io.headgate.agent.runtime.attempt.CheckpointRoots;
import io.headgate.agent.runtime.attempt.GangNetwork;
import io.headgate.agent.runtime.ledger.AgentNames;
import io.headgate.agent.runtime.ledger.Retention;
import io.headgate.agent.runtime.telemetry.AgentInstruments;
import io.headgate.agent.runtime.watch.DeviceWatch;
import io.headgate.agent.runtime.watch.MemoryWatch;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.time.TimeSource;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The first start of an agent in a fresh data directory, whose names no driver has loaded before.
class FirstStartTest {
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  @TempDir Path root;

  private AgentNames.Form namesAfterStart(Optional<PodSettings> pods) throws IOException {
    Path data = root.resolve("data");
    TimeSource time = TimeSource.system();
    GpuDriver driver = new CpuOnlyDriver();
    Agent.Settings settings =
        new Agent.Settings(
            "first",
            data,
            new CheckpointRoots(root.resolve("checkpoints"), Map.of()),
            new SupervisorSpec.Logs(1 << 20, 4),
            new Retention.Limits(10, Duration.ofDays(1), Optional.empty()),
            new MemoryWatch.Settings(PATIENCE, PATIENCE),
            WallsConfig.DEFAULTS.settings(),
            TestConfigs.below(ContainersConfig.NONE, root).settings(),
            pods,
            GangNetwork.Settings.ALONE,
            "boot");
    try (Agent _ =
        Agent.open(
            settings,
            driver,
            new DeviceWatch(driver, PATIENCE, time),
            new AgentInstruments(Telemetry.disabled(), time, "first"),
            Optional.empty(),
            time)) {
      return AgentNames.load(data).form();
    }
  }

  @Test
  void givesAnAgentThatRunsPodsNamesOfThePresentForm() throws Exception {
    PodSettings pods =
        new PodSettings(
            // Nothing is asked of the API server before the agent starts.
            URI.create("http://127.0.0.1:1"),
            Optional.empty(),
            Optional.empty(),
            "jobs",
            "n1",
            Agent.podOwner("first", root.resolve("data")),
            Optional.of("registry.example/base:1"),
            PodSettings.Devices.NRI,
            PATIENCE,
            PATIENCE);
    assertThat(namesAfterStart(Optional.of(pods))).isEqualTo(AgentNames.Form.SHA_256);
  }

  @Test
  void givesAnAgentThatRunsProcessesNamesOfThePresentForm() throws Exception {
    assertThat(namesAfterStart(Optional.empty())).isEqualTo(AgentNames.Form.SHA_256);
  }
}
