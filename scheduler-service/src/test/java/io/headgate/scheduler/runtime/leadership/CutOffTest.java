package io.headgate.scheduler.runtime.leadership;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.runtime.agent.AgentCommand;
import io.headgate.scheduler.runtime.agent.AgentHello;
import io.headgate.scheduler.runtime.agent.AgentSession;
import io.headgate.scheduler.runtime.desk.Command;
import io.headgate.scheduler.runtime.desk.LeaderState;
import io.headgate.scheduler.runtime.loop.LoopStep;
import io.headgate.scheduler.runtime.loop.TurnMaker;
import io.headgate.type.ImageRules;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// When a leader takes itself for cut off from all agents, rather than them for gone.
final class CutOffTest {
  private static final Duration SUSPECT = OneLeader.SETTINGS.suspectAfter();

  private OneLeader leader;
  private LeaderState state;
  private TurnMaker turns;

  @BeforeEach
  void lead() {
    leader = new OneLeader();
    state = leader.state();
    List<LoopStep> steps = new ArrayList<>();
    turns = new TurnMaker(leader.start, state, leader.ports, steps::add);
  }

  private record Stream(NodeId node) implements AgentSession {
    @Override
    public void send(AgentCommand command) {
      throw new AssertionError(command);
    }

    @Override
    public void endNotLeader(String leaderAddress) {
      throw new AssertionError();
    }

    @Override
    public void endReplaced() {
      throw new AssertionError();
    }
  }

  private Stream connect(NodeId node) throws InterruptedException {
    Stream stream = new Stream(node);
    hear(node);
    turns.take(
        List.of(
            new Command.Hello(
                stream,
                new AgentHello(
                    "session", "boot", "test", false, false, false, ImageRules.NONE, List.of()))));
    return stream;
  }

  private void hear(NodeId node) {
    state.nodes().clock(node).heard(leader.time.monotonicNanos());
  }

  private void pass(Duration time) throws InterruptedException {
    leader.time.advance(time);
    turns.take(List.of());
  }

  @Test
  void isCutOffAWhileAfterTheLastAgentIsSuspect() throws InterruptedException {
    for (NodeId node : OneLeader.MACHINES) {
      connect(node);
    }
    pass(SUSPECT.plusSeconds(1));
    assertThat(turns.isCutOff()).as("all are suspect just now").isFalse();
    hear(OneLeader.MACHINES.getFirst());
    pass(SUSPECT.minusSeconds(1));
    assertThat(turns.isCutOff()).as("one is heard").isFalse();
    pass(SUSPECT);
    assertThat(turns.isCutOff()).isFalse();
    pass(SUSPECT.plusSeconds(1));
    assertThat(turns.isCutOff()).isTrue();
    hear(OneLeader.MACHINES.getLast());
    pass(Duration.ofSeconds(1));
    assertThat(turns.isCutOff()).isFalse();
  }

  @Test
  void isNotCutOffFromAgentsThatNeverReported() throws InterruptedException {
    for (int i = 0; i < 10; i++) {
      pass(SUSPECT);
      assertThat(turns.isCutOff()).isFalse();
    }
  }

  @Test
  void isNotCutOffFromThoseThatSaidGoodbye() throws InterruptedException {
    Stream stream = connect(OneLeader.MACHINES.getFirst());
    turns.take(List.of(new Command.Closing(stream), new Command.SessionEnded(stream)));
    for (int i = 0; i < 10; i++) {
      pass(SUSPECT);
      assertThat(turns.isCutOff()).isFalse();
    }
  }
}
