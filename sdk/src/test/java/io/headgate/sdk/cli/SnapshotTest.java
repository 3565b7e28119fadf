package io.headgate.sdk.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.headgate.proto.pool.v1.Node;
import io.headgate.proto.scheduler.v1.Attempt;
import io.headgate.proto.scheduler.v1.Job;
import io.headgate.proto.type.v1.DeviceGeometry;
import io.headgate.proto.type.v1.SlicePlacement;
import io.headgate.sdk.cli.TestCli.Result;
import io.headgate.sdk.config.ConfigurationException;
import io.headgate.sdk.config.ScenarioFile;
import io.headgate.sdk.config.ScenarioReader;
import io.headgate.sdk.config.ScenarioWriter;
import io.headgate.sdk.gate.TestGate;
import io.headgate.type.GpuQuantity;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The state of a live installation becomes a scenario that `simulate` reads.
class SnapshotTest {
  @TempDir private Path home;
  private TestGate gate;

  @BeforeEach
  void open() {
    gate = TestGate.open();
    Fixtures.fill(gate);
  }

  @AfterEach
  void close() {
    gate.close();
  }

  private Result snapshot(String... flags) {
    String[] args = new String[flags.length + 1];
    args[0] = "snapshot";
    System.arraycopy(flags, 0, args, 1, flags.length);
    return TestCli.at(gate, home).run(args);
  }

  @Test
  void writesAScenarioThatIsReadBackAsItIs() throws ConfigurationException {
    Result result = snapshot();

    assertThat(result.exitCode()).isZero();
    ScenarioFile scenario = ScenarioReader.read("now.yaml", result.out());
    assertThat(scenario.hasGroups()).isFalse();
    assertThat(scenario.nodes())
        .extracting(
            ScenarioFile.DeclaredNode::name,
            ScenarioFile.DeclaredNode::gpus,
            ScenarioFile.DeclaredNode::gpuModel)
        .containsExactly(tuple("gpu-03", 2, "RTX6000"));
    assertThat(scenario.waiting())
        .extracting(waiting -> waiting.job().name())
        .containsExactly("big-1", "train-7");
    assertThat(scenario.waiting().getFirst().waitedSince()).isEqualTo(Duration.ofMinutes(26));
    assertThat(scenario.running())
        .extracting(running -> running.job().name())
        .contains("train-4", "train-5")
        .doesNotContain("hello-1");
    assertThat(scenario.running().getFirst().workers().getFirst().devices().getFirst().gpus())
        .isEqualTo(GpuQuantity.parse("1/2"));
    String again = ScenarioWriter.write(scenario, List.of());
    assertThat(ScenarioReader.read("again.yaml", again)).isEqualTo(scenario);
  }

  @Test
  void namesTheSlicesOfDevicesThatHavePlaces() throws ConfigurationException {
    Node.Builder node = gate.supply.allNodes.removeFirst().toBuilder();
    node.getDevicesBuilderList()
        .forEach(device -> device.setGeometry(DeviceGeometry.DEVICE_GEOMETRY_MIG));
    gate.supply.allNodes.add(node.build());
    Job.Builder job = Fixtures.job("sliced-1", "ai-dev-half", Job.State.STATE_RUNNING, "1m");
    Attempt.Builder attempt = Fixtures.attempt(1, 0);
    attempt
        .getPlacementsBuilder(0)
        .getSlicesBuilder(0)
        .setGpus("1/4")
        .setPlacement(
            SlicePlacement.newBuilder()
                .setProfile("1g.20gb")
                .setStart(6)
                .setSize(2)
                .setGives("1/4"));
    gate.jobs.put(job.setAttempt(1).addAttempts(attempt).build());

    ScenarioFile scenario = ScenarioReader.read("now.yaml", snapshot().out());

    assertThat(scenario.nodes().getFirst().geometry()).isEqualTo(ScenarioFile.Geometry.MIG);
    assertThat(scenario.running())
        .filteredOn(running -> running.job().name().equals("sliced-1"))
        .flatMap(running -> running.workers().getFirst().devices())
        .extracting(share -> String.valueOf(share.slice()))
        .containsExactly("1g.2x@6");
  }

  @Test
  void saysWhatAScenarioCannotSay() {
    gate.jobs.put(Fixtures.job("ghost-1", "removed-queue", Job.State.STATE_WAITING, "1m").build());

    Result result = snapshot();

    assertThat(result.err())
        .contains("job train-5 is stopping; in the scenario it runs")
        .contains("job ghost-1 is left out: its queue removed-queue is gone");
    assertThat(result.out()).contains("# job ghost-1 is left out");
  }

  @Test
  void refusesMoreJobsThanItWasToldToTake() {
    Result result = snapshot("--max-jobs", "2");

    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.out()).isEmpty();
    assertThat(result.err()).contains("TOO_MANY_JOBS", "--max-jobs");
  }
}
