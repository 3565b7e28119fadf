package io.headgate.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.deploy.node.NodePlan;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KnownNodesTest {
  private static final KnownNodes.Entry SIMULATED =
      new KnownNodes.Entry("acme", new NodePlan("sim-0", "local", "8xA100"));
  private static final KnownNodes.Entry PLAIN =
      new KnownNodes.Entry("default", new NodePlan("node-0", "local", ""));

  @Test
  void remembersEachNodeOnce(@TempDir Path directory) throws Exception {
    KnownNodes nodes = new KnownNodes(directory);
    assertThat(nodes.read()).isEmpty();

    nodes.add(SIMULATED);
    nodes.add(PLAIN);
    nodes.add(SIMULATED);

    assertThat(new KnownNodes(directory).read()).containsExactly(SIMULATED, PLAIN);
  }

  @Test
  void givesANodeOtherDevicesInThePoolThatItJoined(@TempDir Path directory) throws Exception {
    KnownNodes nodes = new KnownNodes(directory);
    nodes.add(SIMULATED);
    nodes.add(PLAIN);

    nodes.change(new KnownNodes.Entry("default", new NodePlan("node-0", "gpus", "local")));
    nodes.change(new KnownNodes.Entry("acme", new NodePlan("node-0", "gpus", "local")));

    assertThat(nodes.read())
        .containsExactly(
            SIMULATED, new KnownNodes.Entry("default", new NodePlan("node-0", "local", "local")));
  }

  @Test
  void refusesALineThatItCannotRead(@TempDir Path directory) throws Exception {
    Files.writeString(directory.resolve("nodes"), "acme sim-0\n");

    assertThatThrownBy(() -> new KnownNodes(directory).read())
        .isInstanceOf(IOException.class)
        .hasMessageContaining("\"acme sim-0\"");
  }
}
