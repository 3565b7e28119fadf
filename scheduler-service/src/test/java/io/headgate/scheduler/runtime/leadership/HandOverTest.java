package io.headgate.scheduler.runtime.leadership;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.runtime.agent.AgentCommand;
import io.headgate.scheduler.runtime.agent.AgentHello;
import io.headgate.scheduler.runtime.agent.AgentReport;
import io.headgate.scheduler.runtime.agent.AgentSession;
import io.headgate.scheduler.runtime.agent.Dispatch;
import io.headgate.scheduler.runtime.desk.Command;
import io.headgate.scheduler.runtime.loop.InputQueue;
import io.headgate.scheduler.runtime.loop.LoopStep;
import io.headgate.scheduler.runtime.record.CommitResult;
import io.headgate.scheduler.runtime.record.JobRecord;
import io.headgate.type.ImageRules;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// An assignment is checked against vaults before it is sent to its agent.
final class HandOverTest {
  private static final NodeId NODE = OneLeader.MACHINES.getFirst();

  private final OneLeader one = new OneLeader();
  private final List<LoopStep> steps = new ArrayList<>();
  private final Leader leader =
      new Leader(one.start, one.ports, one.state(), one.lease, steps::add);

  private record Session(NodeId node, String id, List<AgentCommand> sent) implements AgentSession {
    @Override
    public void send(AgentCommand command) {
      sent.add(command);
    }

    @Override
    public void endNotLeader(String leaderAddress) {
      throw new AssertionError();
    }

    @Override
    public void endReplaced() {
      // No stream is open behind this session.
    }
  }

  @Test
  void aFullLoopStillHearsThatAnAssignmentWasBarred() throws InterruptedException {
    hello("before");
    leader.offer(OneLeader.submit("j", Optional.empty()));
    decide();
    leader.offer(new Command.CatalogMoved("access", OneLeader.access(List.of(), List.of())));
    Session agent = hello("after");
    List<Dispatch> words = decide();
    Command.Closing other = new Command.Closing(agent);
    while (leader.offer(other) == InputQueue.Offer.TAKEN) {
      // Until it is full.
    }
    leader.dispatcher().carryOut(words);
    leader.dispatcher().carryOut(decide());
    assertThat(agent.sent()).hasAtLeastOneElementOfType(AgentCommand.Stop.class);
  }

  private Session hello(String id) {
    Session session = new Session(NODE, id, new ArrayList<>());
    leader.offer(
        new Command.Hello(
            session,
            new AgentHello(id, "boot", "test", false, false, false, ImageRules.NONE, List.of())));
    return session;
  }

  /// Decides on the waiting commands, and makes the result durable.
  private List<Dispatch> decide() throws InterruptedException {
    steps.clear();
    leader.decide(leader.take());
    for (LoopStep step : steps) {
      step.batch()
          .ifPresent(batch ->
              assertThat(
                      one.ports
                          .store()
                          .commit(leader.leadership(), OneLeader.SETTINGS.lease(), batch))
                  .isInstanceOf(CommitResult.Committed.class));
    }
    return steps.stream().flatMap(step -> step.dispatches().stream()).toList();
  }

  @Test
  void startsNothingWhoseQueueHasGoneAndWithItWhatVaultsSay() throws InterruptedException {
    hello("before");
    leader.offer(OneLeader.submit("j", Optional.empty()));
    assertThat(decide()).as("which it does not hear").anyMatch(Dispatch.Run.class::isInstance);
    leader.offer(new Command.CatalogMoved("access", OneLeader.access(List.of(), List.of())));
    Session agent = hello("after");
    leader.dispatcher().carryOut(decide());
    leader.dispatcher().carryOut(decide());
    assertThat(agent.sent())
        .hasExactlyElementsOfTypes(AgentCommand.Welcome.class, AgentCommand.Stop.class);
    leader.offer(new Command.Report(agent, 1, OneLeader.report("j", AgentReport.State.ENDED)));
    decide();
    assertThat(changed()).extracting(JobRecord::state).containsExactly(JobState.DRAFT);
    assertThat(changed().getFirst().draft().orElseThrow().code()).isEqualTo("QUEUE_REMOVED");
  }

  @Test
  void letsAJobGoBackToItsQueueWhenVaultsMovedBeforeItWasStopped() throws InterruptedException {
    move("train");
    Session agent = hello("agent");
    leader.offer(OneLeader.submit("j", "mine"));
    leader.dispatcher().carryOut(decide());
    leader.dispatcher().carryOut(decide());
    assertThat(agent.sent())
        .hasExactlyElementsOfTypes(AgentCommand.Welcome.class, AgentCommand.Stop.class);
    move();
    leader.offer(new Command.Report(agent, 1, OneLeader.report("j", AgentReport.State.ENDED)));
    decide();
    assertThat(changed()).isNotEmpty().noneMatch(job -> job.state() == JobState.DRAFT);
  }

  @Test
  void isTriedOnceMoreWhenItWasJudgedByVaultsThatHaveMoved() throws InterruptedException {
    move("train");
    Session agent = hello("agent");
    leader.offer(OneLeader.submit("j", "mine"));
    List<Dispatch> words = decide();
    move("mine");
    leader.dispatcher().carryOut(words);
    leader.dispatcher().carryOut(decide());
    assertThat(agent.sent())
        .hasExactlyElementsOfTypes(AgentCommand.Welcome.class, AgentCommand.Assign.class);
  }

  private void move(String... commands) throws InterruptedException {
    leader.offer(new Command.CatalogMoved("access", OneLeader.vaults(commands)));
    decide();
  }

  private List<JobRecord> changed() {
    return steps.stream()
        .flatMap(step -> step.batch().stream())
        .flatMap(batch -> batch.jobs().stream())
        .toList();
  }
}
