package io.headgate.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.headgate.kit.config.Secret;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.time.TimeSource;
import io.headgate.proto.agent.v1.ConnectRequest;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// An agent and a scheduler that do not speak the same are not to guess.
class ProtocolVersionsTest {
  @TempDir Path root;

  @Test
  void reportsToNoSchedulerThatGoesOnInAProtocolItDoesNotSpeak() {
    try (FakeControlPlane plane = new FakeControlPlane();
        NodeAgent agent =
            new NodeAgent(
                AgentConfig.of(root.resolve("n1"), "n1", plane.uri())
                    .withJoinToken(Secret.of(FakeControlPlane.JOIN_TOKEN)),
                Telemetry.disabled(),
                TimeSource.system())) {
      plane.protocol = 2;
      agent.start();
      await().atMost(FakeControlPlane.PATIENCE).until(() -> plane.hellos.size() > 1);
      assertThat(agent.isReady()).isFalse();
      assertThat(plane.said).allMatch(ConnectRequest::hasHello);
      assertThat(plane.hellos.getLast().hasHighestObeyed()).as("it obeys nobody").isFalse();
      plane.protocol = 1;
      await().atMost(FakeControlPlane.PATIENCE).until(agent::isReady);
    }
  }
}
