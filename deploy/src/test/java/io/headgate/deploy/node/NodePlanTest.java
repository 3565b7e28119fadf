package io.headgate.deploy.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NodePlanTest {
  @Test
  void readsSimulatedNodes() {
    assertThat(NodePlan.parse("sim:2x8xA100-80GiB", "local"))
        .containsExactly(
            new NodePlan("sim-0", "local", "8xA100-80GiB"),
            new NodePlan("sim-1", "local", "8xA100-80GiB"));
    assertThat(NodePlan.parse("sim:1x4xH100", "local").getFirst().gpuModel()).isEqualTo("H100");
    assertThat(NodePlan.parse("sim:1x4xH100", "local").getFirst().gpuCount()).isEqualTo(4);
    NodePlan sliced = NodePlan.parse("sim:1x2xH100-80GiB-mig", "local").getFirst();
    assertThat(sliced).isEqualTo(new NodePlan("sim-0", "local", "2xH100-80GiB-mig"));
    assertThat(sliced.gpuModel()).isEqualTo("H100");
  }

  @Test
  void aMachineIsOneNodeWithAndWithoutItsDevices() {
    assertThat(NodePlan.parse("local", "local"))
        .containsExactly(new NodePlan("node-0", "local", "local"));
    assertThat(NodePlan.parse("cpu", "local").getFirst().id()).isEqualTo("node-0");
    assertThat(NodePlan.parse("cpu", "local")).hasSize(1);
    assertThat(NodePlan.parse("none", "local")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "sim", "sim:8xA100", "sim:0x8xA100", "sim:65x8xA100", "sim:1x99xA100"})
  void refusesOtherTextsSayingWhatWouldBeRight(String text) {
    assertThatThrownBy(() -> NodePlan.parse(text, "local"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("\"" + text + "\"")
        .hasMessageContaining("nodes");
  }
}
