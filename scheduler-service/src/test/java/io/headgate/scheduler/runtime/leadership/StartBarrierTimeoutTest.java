package io.headgate.scheduler.runtime.leadership;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.scheduler.core.job.Attempt;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.runtime.agent.AgentCommand;
import io.headgate.scheduler.runtime.agent.AgentHello;
import io.headgate.scheduler.runtime.agent.AgentReport;
import io.headgate.scheduler.runtime.agent.AgentSession;
import io.headgate.scheduler.runtime.agent.Dispatch;
import io.headgate.scheduler.runtime.agent.WorkerAddress;
import io.headgate.scheduler.runtime.desk.Command;
import io.headgate.scheduler.runtime.desk.LeaderState;
import io.headgate.scheduler.runtime.loop.LoopStep;
import io.headgate.scheduler.runtime.loop.TurnMaker;
import io.headgate.scheduler.runtime.record.EventRecord;
import io.headgate.scheduler.runtime.record.EventType;
import io.headgate.scheduler.runtime.record.JobName;
import io.headgate.scheduler.runtime.record.JobRecord;
import io.headgate.scheduler.runtime.record.WorkerFacts;
import io.headgate.type.ImageRules;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// A gang of three at its start barrier, on a clock that the test moves. Not all of its workers are
/// prepared in time.
final class StartBarrierTimeoutTest {
  private static final Duration LIMIT = Duration.ofMinutes(30);
  private static final int WORKERS = 3;
  private static final JobName GANG = new JobName(OneLeader.TENANT, "g");

  private final List<LoopStep> steps = new ArrayList<>();
  private final Map<NodeId, AgentSession> agents =
      new TreeMap<>((a, b) -> a.name().compareTo(b.name()));
  private OneLeader leader;
  private LeaderState state;
  private TurnMaker turns;
  private long reports;

  @BeforeEach
  void assign() throws InterruptedException {
    lead();
    turns.take(List.of(OneLeader.submit("g", Optional.empty())));
    assertThat(job().state()).isEqualTo(JobState.ASSIGNED);
  }

  private void lead() throws InterruptedException {
    leader = new OneLeader();
    state = leader.stateOfGangs(WORKERS);
    turns = new TurnMaker(leader.start, state, leader.ports, steps::add);
    for (NodeId node : OneLeader.MACHINES) {
      AgentSession agent = new Silent(node);
      agents.put(node, agent);
      turns.take(
          List.of(
              new Command.Hello(
                  agent,
                  new AgentHello(
                      "session",
                      "boot",
                      "test",
                      false,
                      false,
                      false,
                      ImageRules.NONE,
                      List.of()))));
    }
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

  private JobRecord job() {
    return state.jobs().job(GANG).orElseThrow();
  }

  private Attempt attempt() {
    return steps.stream()
        .flatMap(step -> step.batch().stream())
        .flatMap(batch -> batch.attempts().stream())
        .reduce((_, last) -> last)
        .orElseThrow()
        .attempt();
  }

  private NodeId node(int worker) {
    return attempt().assignment().workers().get(worker).node();
  }

  private void prepared(int worker) throws InterruptedException {
    report(worker, AgentReport.State.STARTING);
  }

  private void report(int worker, AgentReport.State said) throws InterruptedException {
    boolean ended = said == AgentReport.State.ENDED;
    AgentReport report =
        new AgentReport(
            GANG,
            "",
            attempt().id().number(),
            worker,
            said,
            Optional.of(WorkerFacts.EndReason.STOPPED).filter(_ -> ended),
            Optional.empty(),
            "",
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            0,
            Optional.of(new WorkerAddress("10.0.0." + worker, worker == 0 ? 29500 : 0)));
    NodeId node = node(worker);
    state.nodes().clock(node).heard(leader.time.monotonicNanos());
    turns.take(List.of(new Command.Report(agents.get(node), ++reports, report)));
  }

  /// All machines stay in contact.
  private void pass(Duration time) throws InterruptedException {
    leader.time.advance(time);
    OneLeader.MACHINES.forEach(
        node -> state.nodes().clock(node).heard(leader.time.monotonicNanos()));
    turns.take(List.of());
  }

  private <T extends AgentCommand> List<T> said(Class<T> kind) {
    return steps.stream()
        .flatMap(step -> step.dispatches().stream())
        .flatMap(dispatch ->
            dispatch instanceof Dispatch.Say(var _, AgentCommand command)
                ? Stream.of(command)
                : Stream.empty())
        .filter(kind::isInstance)
        .map(kind::cast)
        .toList();
  }

  private List<String> events(EventType type) {
    return steps.stream()
        .flatMap(step -> step.batch().stream())
        .flatMap(batch -> batch.events().stream())
        .filter(event -> event.type() == type)
        .map(EventRecord::message)
        .toList();
  }

  @Test
  void waitsForTheLimitAndThenNamesWhoIsMissing() throws InterruptedException {
    prepared(1);
    pass(LIMIT);
    assertThat(said(AgentCommand.Stop.class)).as("the limit is not over").isEmpty();

    pass(Duration.ofSeconds(2));

    assertThat(said(AgentCommand.Stop.class)).hasSize(WORKERS);
    assertThat(events(EventType.STOPPING))
        .containsExactly(
            "g is stopped to wait in its queue again: worker 0 on %s was not ready within 30 min,"
                    .formatted(node(0).name())
                + " and 1 more");
    assertThat(said(AgentCommand.Go.class)).isEmpty();
  }

  /// The last worker is prepared at the moment at which the gang is given up: it does not start.
  @Test
  void whoIsPreparedTooLateDoesNotStart() throws InterruptedException {
    prepared(0);
    prepared(1);
    pass(LIMIT.plusSeconds(2));
    prepared(2);
    assertThat(said(AgentCommand.Go.class)).isEmpty();
    pass(LIMIT.plusSeconds(2));
    assertThat(said(AgentCommand.Stop.class)).as("once is enough").hasSize(WORKERS);

    for (int worker = 0; worker < WORKERS; worker++) {
      report(worker, AgentReport.State.ENDED);
    }

    assertThat(job().state()).as("it starts again").isEqualTo(JobState.ASSIGNED);
    assertThat(attempt().id().number()).isEqualTo(2);
    for (int worker = 0; worker < WORKERS; worker++) {
      prepared(worker);
    }
    assertThat(said(AgentCommand.Go.class))
        .hasSize(WORKERS)
        .allSatisfy(go -> assertThat(go.worker().attempt()).isEqualTo(2));
  }

  /// The limit counts from the first worker that is prepared, not from the assignment.
  @Test
  void nothingIsLateBeforeTheFirstIsPrepared() throws InterruptedException {
    pass(LIMIT.multipliedBy(3));
    assertThat(said(AgentCommand.Stop.class)).isEmpty();

    prepared(0);
    pass(LIMIT.minusMinutes(1));
    prepared(1);
    prepared(2);
    pass(LIMIT);

    assertThat(said(AgentCommand.Go.class)).hasSize(WORKERS);
    assertThat(said(AgentCommand.Stop.class)).as("nobody is missing").isEmpty();
  }
}
