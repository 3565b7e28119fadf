package io.headgate.scheduler.runtime.leadership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.runtime.agent.AgentCommand;
import io.headgate.scheduler.runtime.agent.AgentHello;
import io.headgate.scheduler.runtime.agent.AgentSession;
import io.headgate.scheduler.runtime.desk.Command;
import io.headgate.scheduler.runtime.desk.LeadershipLostException;
import io.headgate.type.ImageRules;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// A bug in the loop ends the leadership, and every caller that waits gets an answer.
final class BrokenTurnTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private LeaderThreads threads;

  @BeforeEach
  void make() {
    OneLeader leader = new OneLeader();
    threads =
        new LeaderThreads(leader.start, leader.ports, leader.state(), leader.lease, () -> false);
  }

  @AfterEach
  void end() {
    threads.kill();
  }

  /// A session whose node the loop cannot learn.
  private static final class Broken implements AgentSession {
    private final CompletableFuture<String> ended = new CompletableFuture<>();

    @Override
    public NodeId node() {
      throw new IllegalStateException("a bug");
    }

    @Override
    public void send(AgentCommand command) {
      throw new AssertionError(command);
    }

    @Override
    public void endNotLeader(String leaderAddress) {
      ended.complete(leaderAddress);
    }

    @Override
    public void endReplaced() {
      throw new AssertionError();
    }
  }

  @Test
  void answersAllWaitingCallsWhenATurnFails() throws InterruptedException {
    Broken broken = new Broken();
    Command.Submit submit = OneLeader.submit("j", Optional.empty());
    AgentHello hello =
        new AgentHello("session", "boot", "test", false, false, false, ImageRules.NONE, List.of());
    // Taken together: one fails and the other is answered too.
    threads.leader().offer(submit);
    threads.leader().offer(new Command.Hello(broken, hello));
    threads.start();
    LeaderEnd end = threads.awaitEnd(_ -> {});
    assertThat(end).isInstanceOf(LeaderEnd.Failed.class);
    assertThat(submit.reply())
        .failsWithin(PATIENCE)
        .withThrowableOfType(ExecutionException.class)
        .withCauseInstanceOf(LeadershipLostException.class);
    assertThat(broken.ended).isCompleted();
  }

  @Test
  void keepsLeadingWhenAQueryFails() {
    CompletableFuture<String> bad = new CompletableFuture<>();
    CompletableFuture<String> good = new CompletableFuture<>();
    threads
        .leader()
        .offer(
            new Command.Ask<>(
                _ -> {
                  throw new IllegalArgumentException("a bug");
                },
                bad));
    threads.leader().offer(new Command.Ask<>(_ -> "answer", good));
    threads.start();
    assertThatExceptionOfType(ExecutionException.class)
        .isThrownBy(bad::get)
        .withCauseInstanceOf(IllegalArgumentException.class);
    assertThat(good).succeedsWithin(PATIENCE).isEqualTo("answer");
  }
}
