package io.headgate.scheduler.runtime.leadership;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.headgate.scheduler.core.job.WorkerPlace;
import io.headgate.scheduler.core.node.Node;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.core.node.NodeStatus;
import io.headgate.scheduler.runtime.agent.AgentCommand;
import io.headgate.scheduler.runtime.agent.AgentHello;
import io.headgate.scheduler.runtime.agent.AgentSession;
import io.headgate.scheduler.runtime.desk.Command;
import io.headgate.scheduler.runtime.desk.ContactSweep;
import io.headgate.scheduler.runtime.desk.LeaderState;
import io.headgate.scheduler.runtime.desk.NodeRegistry;
import io.headgate.scheduler.runtime.loop.LoopStep;
import io.headgate.scheduler.runtime.loop.TurnMaker;
import io.headgate.type.ImageRules;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/// A new leader, to which some machines have not reported yet that spoke to the one before.
final class NewLeaderTest {
  private static final Duration WINDOW = OneLeader.SETTINGS.reconcileWithin();
  private static final NodeId FIRST = OneLeader.MACHINES.getFirst();
  private static final NodeId SECOND = OneLeader.MACHINES.get(1);

  private final ListAppender<ILoggingEvent> log = new ListAppender<>();
  private final List<LoopStep> steps = new ArrayList<>();
  private OneLeader leader;
  private LeaderState state;
  private TurnMaker turns;

  private static Logger logger() {
    return (Logger) LoggerFactory.getLogger(ContactSweep.class);
  }

  @BeforeEach
  void lead() {
    log.start();
    logger().setLevel(Level.ERROR);
    logger().addAppender(log);
    leader = new OneLeader();
    state = leader.state(OneLeader.MACHINES);
    turns = new TurnMaker(leader.start, state, leader.ports, steps::add);
  }

  @AfterEach
  void stop() {
    logger().detachAppender(log);
    logger().setLevel(null);
  }

  private record Silent(NodeId node) implements AgentSession {
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

  private void report(NodeId node) throws InterruptedException {
    state.nodes().clock(node).heard(leader.time.monotonicNanos());
    turns.take(
        List.of(
            new Command.Hello(
                new Silent(node),
                new AgentHello(
                    "session", "boot", "test", false, false, false, ImageRules.NONE, List.of()))));
  }

  private void pass(Duration time) throws InterruptedException {
    leader.time.advance(time);
    turns.take(List.of());
  }

  private NodeStatus status(NodeId node) {
    return state
        .nodes()
        .find(node)
        .flatMap(NodeRegistry.Entry::passedToCore)
        .map(Node::status)
        .orElseThrow();
  }

  /// Where something was started, in order.
  private List<NodeId> starts() {
    return steps.stream()
        .flatMap(step -> step.batch().stream())
        .flatMap(batch -> batch.attempts().stream())
        .flatMap(attempt -> attempt.attempt().assignment().workers().stream())
        .map(WorkerPlace::node)
        .toList();
  }

  private List<String> errors() {
    return log.list.stream()
        // Other tests have leaders too.
        .filter(event -> event.getThreadName().equals(Thread.currentThread().getName()))
        .map(ILoggingEvent::getFormattedMessage)
        .toList();
  }

  @Test
  void handsOutWorkToANodeAsSoonAsItHasReported() throws InterruptedException {
    turns.take(List.of(OneLeader.submit("j-1", Optional.empty())));
    assertThat(starts()).isEmpty();
    assertThat(status(SECOND)).isEqualTo(NodeStatus.AWAITED);
    report(SECOND);
    assertThat(starts()).as("the others are waited for").containsExactly(SECOND);
    assertThat(status(FIRST)).isEqualTo(NodeStatus.AWAITED);
  }

  @Test
  void doesNotWaitForNodesWhoseTimeIsOver() throws InterruptedException {
    report(FIRST);
    pass(WINDOW);
    assertThat(status(SECOND)).isEqualTo(NodeStatus.AWAITED);
    pass(Duration.ofSeconds(1));
    assertThat(status(SECOND)).isEqualTo(NodeStatus.SUSPECT);
    report(SECOND);
    assertThat(status(SECOND)).isEqualTo(NodeStatus.READY);
  }

  @Test
  void doesNotWaitForNodesThatNeverReported() {
    LeaderState fresh = leader.state(List.of(FIRST));
    Stream<NodeStatus> told =
        fresh.nodes().entries().stream().map(entry -> entry.passedToCore().orElseThrow().status());
    assertThat(told)
        .containsExactly(
            NodeStatus.AWAITED,
            NodeStatus.SUSPECT,
            NodeStatus.SUSPECT,
            NodeStatus.SUSPECT,
            NodeStatus.SUSPECT);
  }

  @Test
  void raisesNoAlarmWhileNodesMayStillReport() throws InterruptedException {
    pass(Duration.ofSeconds(1));
    pass(WINDOW.minusSeconds(1));
    for (NodeId node : OneLeader.MACHINES) {
      report(node);
    }
    pass(Duration.ofSeconds(2));
    assertThat(errors()).isEmpty();
  }

  @Test
  void raisesItOnceWhenManyHaveNotReportedInTime() throws InterruptedException {
    pass(WINDOW.plusSeconds(1));
    pass(Duration.ofSeconds(1));
    assertThat(errors())
        .containsExactly(
            "5 of 5 nodes are out of contact at once: none of their jobs is given up until more"
                + " nodes are back");
  }
}
