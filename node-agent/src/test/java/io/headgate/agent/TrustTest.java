package io.headgate.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.headgate.agent.grpc.Membership;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.time.TimeSource;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/// An agent that cannot read whom to trust goes on trying: an operator may still correct the file.
class TrustTest {
  @TempDir Path root;
  private final List<String> said = new CopyOnWriteArrayList<>();
  private final Logger logger = (Logger) LoggerFactory.getLogger(Membership.class);
  private final AppenderBase<ILoggingEvent> ears =
      new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
          said.add(event.getLevel() + " " + event.getFormattedMessage());
        }
      };

  @BeforeEach
  void listen() {
    ears.start();
    logger.addAppender(ears);
  }

  @AfterEach
  void listenNoMore() {
    logger.detachAppender(ears);
  }

  @Test
  void readsAgainWhomToTrustUntilItCan() throws Exception {
    Path trust = Files.writeString(root.resolve("trust.pem"), "no certificate");
    try (NodeAgent agent = agent(trust)) {
      agent.start();
      await().atMost(FakeControlPlane.PATIENCE).until(() -> said.size() >= 3);

      assertThat(said)
          .allSatisfy(line ->
              assertThat(line)
                  .startsWith("WARN the agent is not connected to the control plane")
                  .contains("trust.pem"));
      assertThat(agent.node()).isEmpty();
      assertThat(agent.failure()).isNotDone();
    }
  }

  private NodeAgent agent(Path trust) {
    AgentConfig config =
        AgentConfig.of(root.resolve("n1"), "n1", URI.create("https://127.0.0.1:1"));
    return new NodeAgent(
        new AgentConfig(
            config.data(),
            config.node(),
            config.server(),
            new AgentConfig.Endpoints(
                Optional.empty(), Optional.empty(), List.of(), Optional.of(trust)),
            config.joinToken(),
            config.joinFile(),
            config.simulateGpus(),
            config.gpu(),
            config.walls(),
            config.containers(),
            config.kubernetes(),
            config.gang(),
            config.cpus(),
            config.memory(),
            config.checkpoints(),
            config.storages(),
            config.logs(),
            config.keep()),
        Telemetry.disabled(),
        TimeSource.system());
  }
}
