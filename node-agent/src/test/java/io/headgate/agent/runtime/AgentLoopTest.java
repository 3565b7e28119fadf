package io.headgate.agent.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.core.AttemptReport;
import io.headgate.agent.core.Fixtures;
import io.headgate.agent.core.Input;
import io.headgate.agent.process.AttemptLogs;
import io.headgate.agent.runtime.ledger.AttemptLedger;
import io.headgate.agent.runtime.ledger.JobUsers;
import io.headgate.agent.runtime.ledger.Outbox;
import io.headgate.kit.time.TimeSource;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class AgentLoopTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  @TempDir private Path data;
  private AttemptLedger ledger;
  private Outbox outbox;
  private AgentLoop loop;

  @BeforeEach
  void open() throws IOException {
    ledger = AttemptLedger.open(data, "boot", new JobUsers(1, 1));
    outbox = Outbox.open(data.resolve("outbox"), ledger.reserve());
    loop =
        new AgentLoop(
            "test",
            new AgentPorts(
                ledger,
                outbox,
                List.of(),
                (assignment, _) -> {
                  throw new AssertionError("nothing was assigned: " + assignment);
                },
                new Watcher(),
                new Resources(),
                TimeSource.system()));
  }

  @AfterEach
  void close() throws IOException {
    loop.close();
    outbox.close();
    ledger.close();
  }

  private record Watcher() implements AgentPorts.Watcher {
    @Override
    public void reported(AttemptReport report) {}

    @Override
    public void forgot() {}
  }

  private record Resources() implements AgentPorts.Resources {
    @Override
    public void recovered(Input.Recovered recovered) {}

    @Override
    public Optional<AttemptLogs> openLogs(AttemptKey key) {
      return Optional.empty();
    }

    @Override
    public void close() {}
  }

  /// Posts one command more than may wait.
  private Thread overflow() {
    return Thread.ofPlatform()
        .start(() -> {
          for (int i = 0; i <= AgentLoop.MAX_COMMANDS; i++) {
            loop.command(new Input.Welcomed(Fixtures.LEADER));
          }
        });
  }

  private static void awaitWaiting(Thread reader) {
    await().atMost(PATIENCE).until(() -> reader.getState() == Thread.State.WAITING);
  }

  @Test
  void aReaderWaitsWhileTooManyCommandsWaitAndLosesNone() throws Exception {
    Thread reader = overflow();
    awaitWaiting(reader);
    assertThat(loop.turn()).isTrue();
    assertThat(reader.join(PATIENCE)).isTrue();
    int taken = 1;
    while (loop.turn()) {
      taken++;
    }
    assertThat(taken).isEqualTo(AgentLoop.MAX_COMMANDS + 1);
  }

  @Test
  void inputsOfTheMachineNeverWaitForCommands() throws Exception {
    Thread reader = overflow();
    awaitWaiting(reader);
    // On this thread: it would stand still here.
    loop.post(new Input.Welcomed(Fixtures.LEADER));
    loop.contact(1);
    loop.close();
    assertThat(reader.join(PATIENCE)).isTrue();
  }

  @Test
  void contactsThatWaitAreJoined() {
    loop.contact(1);
    loop.contact(2);
    assertThat(loop.turn()).isTrue();
    assertThat(loop.turn()).isFalse();
    loop.contact(3);
    assertThat(loop.turn()).isTrue();
  }
}
