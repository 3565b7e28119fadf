package io.headgate.agent;

import io.headgate.agent.kubernetes.Cluster;
import io.headgate.agent.kubernetes.RealCluster;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/// The contract of pods against a real cluster, on its only node, as root.
///
/// `-Dheadgate.test.kubernetes=FILE` names the file with which `kubectl` administers the cluster.
@EnabledIfSystemProperty(named = "headgate.test.kubernetes", matches = ".+")
class RealKubernetesTest extends PodContract {
  private RealCluster cluster;

  @BeforeEach
  void connect() throws Exception {
    cluster = new RealCluster(Path.of(System.getProperty("headgate.test.kubernetes")), root);
  }

  @Override
  Cluster cluster() {
    return cluster;
  }

  @Override
  @AfterEach
  void stop() {
    super.stop();
    cluster.close();
  }
}
