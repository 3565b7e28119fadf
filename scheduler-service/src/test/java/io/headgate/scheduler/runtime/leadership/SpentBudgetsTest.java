package io.headgate.scheduler.runtime.leadership;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.scheduler.core.catalog.SpentBudget.Level;
import io.headgate.scheduler.core.explain.Reason;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.runtime.agent.AgentCommand;
import io.headgate.scheduler.runtime.agent.AgentHello;
import io.headgate.scheduler.runtime.agent.AgentReport;
import io.headgate.scheduler.runtime.agent.AgentSession;
import io.headgate.scheduler.runtime.agent.Dispatch;
import io.headgate.scheduler.runtime.desk.Command;
import io.headgate.scheduler.runtime.desk.LeaderState;
import io.headgate.scheduler.runtime.loop.LeaderStart;
import io.headgate.scheduler.runtime.loop.LoopStep;
import io.headgate.scheduler.runtime.record.Budget;
import io.headgate.scheduler.runtime.record.Budget.Per;
import io.headgate.scheduler.runtime.record.Budget.WhenSpent;
import io.headgate.scheduler.runtime.record.BudgetUse;
import io.headgate.scheduler.runtime.record.CommitResult;
import io.headgate.scheduler.runtime.record.EventRecord;
import io.headgate.scheduler.runtime.record.EventType;
import io.headgate.scheduler.runtime.record.JobName;
import io.headgate.scheduler.runtime.record.JobRecord;
import io.headgate.scheduler.runtime.record.LoadedState;
import io.headgate.type.ImageRules;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// The leader's answer to counts that say that budgets are used up.
final class SpentBudgetsTest {
  private static final Budget.Key POLICY = new Budget.Key(OneLeader.TENANT, Level.POLICY, "policy");

  private final OneLeader one = new OneLeader();
  private final List<LoopStep> steps = new ArrayList<>();
  private LeaderState state = one.state();
  private Leader leader = new Leader(one.start, one.ports, state, one.lease, steps::add);

  private static Budget budget(String gpuHours, WhenSpent then) {
    return new Budget(POLICY, new BigDecimal(gpuHours), Optional.empty(), Per.DAY, 80, then);
  }

  private static Command configured(Budget... budgets) {
    return new Command.CatalogMoved("access", OneLeader.budgets(budgets));
  }

  private static Command used(String gpuHours) {
    return used(gpuHours, Instant.EPOCH);
  }

  private static Command used(String gpuHours, Instant time) {
    Budget.Period period = Per.DAY.at(time);
    return new Command.BudgetsCounted(
        List.of(
            new BudgetUse(
                POLICY,
                Optional.empty(),
                period.start(),
                period.end(),
                new BigDecimal(gpuHours),
                time)));
  }

  @Test
  void warnsOnceAndThenTellsThatItIsSpent() throws InterruptedException {
    decide(configured(budget("10", WhenSpent.WARN)));
    decide(used("7"));
    assertThat(told()).isEmpty();
    decide(used("8"));
    assertThat(told())
        .containsExactly(
            "policy policy has used 8.00 of its budget of 10 GPU-hours, 80 %, until"
                + " 1970-01-02T00:00:00Z");
    decide(used("9"));
    assertThat(told()).isEmpty();
    decide(used("10.5"));
    assertThat(told())
        .containsExactly(
            "policy policy has used all of its budget of 10 GPU-hours until 1970-01-02T00:00:00Z:"
                + " its jobs go on all the same");
  }

  @Test
  void keepsJobsWaitingUntilTheNextPeriod() throws InterruptedException {
    connect();
    decide(configured(budget("10", WhenSpent.WAIT)));
    decide(used("10"));
    decide(OneLeader.submit("a", "run"));
    assertThat(job("a").state()).isEqualTo(JobState.WAITING);
    assertThat(state.core().reason(job("a").id()).orElseThrow()).isInstanceOf(Reason.Budget.class);
    decide(used("0", Instant.EPOCH.plusSeconds(86_400)));
    assertThat(job("a").state()).isEqualTo(JobState.ASSIGNED);
    assertThat(told())
        .containsExactly(
            "policy policy has room in its budget again: 0.00 of 10 GPU-hours used until"
                + " 1970-01-03T00:00:00Z");
  }

  @Test
  void startsJobsOfARaisedBudgetAtOnce() throws InterruptedException {
    connect();
    decide(configured(budget("10", WhenSpent.WAIT)));
    decide(used("10"));
    decide(OneLeader.submit("a", "run"));
    decide(configured(budget("20", WhenSpent.WAIT)));
    assertThat(job("a").state()).isEqualTo(JobState.ASSIGNED);
  }

  @Test
  void stopsWhatRunsIfThatWasChosen() throws InterruptedException {
    Heard agent = connect();
    decide(configured(budget("10", WhenSpent.STOP)));
    decide(OneLeader.submit("a", "run"));
    decide(new Command.Report(agent, 1, OneLeader.report("a", AgentReport.State.RUNNING)));
    decide(used("10"));
    assertThat(job("a").state()).isEqualTo(JobState.STOPPING);
    assertThat(messages(EventType.STOPPING))
        .containsExactly(
            "a is stopped to wait in its queue again: the budget of policy policy is spent");
    assertThat(stops()).hasSize(1);
    decide(used("11"));
    assertThat(stops()).as("it was told already").isEmpty();
  }

  @Test
  void aNewLeaderJudgesARaisedBudgetByTheLastCount() throws InterruptedException {
    decide(configured(budget("10", WhenSpent.WAIT)));
    decide(used("10"));
    decide(used("15"));
    Budget raised = budget("12", WhenSpent.WAIT);
    decide(configured(raised));
    follow(raised);
    connect();
    decide(OneLeader.submit("a", "run"));
    assertThat(job("a").state()).isEqualTo(JobState.WAITING);
  }

  @Test
  void aPeriodThatNobodyCountsDoesNotStaySpent() throws InterruptedException {
    connect();
    decide(configured(budget("10", WhenSpent.WAIT)));
    decide(used("10"));
    decide(OneLeader.submit("a", "run"));
    assertThat(job("a").state()).isEqualTo(JobState.WAITING);
    one.time.advance(Duration.ofDays(1));
    decide(new Command.BudgetsCounted(List.of()));
    assertThat(job("a").state()).isEqualTo(JobState.ASSIGNED);
  }

  @Test
  void aNewLeaderKnowsWhatIsSpentBeforeItCounts() throws InterruptedException {
    Budget budget = budget("10", WhenSpent.WAIT);
    decide(configured(budget));
    decide(used("10"));
    follow(budget);
    connect();
    decide(OneLeader.submit("a", "run"));
    assertThat(job("a").state()).isEqualTo(JobState.WAITING);
    decide(used("10.1"));
    assertThat(told()).as("it was told by the leader before").isEmpty();
    decide(configured());
    assertThat(job("a").state()).isEqualTo(JobState.ASSIGNED);
    assertThat(one.ports.store().load().budgets()).as("there is no budget any more").isEmpty();
  }

  private record Heard(NodeId node) implements AgentSession {
    @Override
    public void send(AgentCommand command) {
      throw new AssertionError("nothing is said");
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

  private Heard connect() throws InterruptedException {
    Heard agent = new Heard(OneLeader.MACHINES.getFirst());
    decide(
        new Command.Hello(
            agent,
            new AgentHello(
                "agent", "boot", "test", false, false, false, ImageRules.NONE, List.of())));
    return agent;
  }

  /// Another leads, from there on.
  private void follow(Budget budget) {
    LoadedState loaded = one.ports.store().load();
    LeaderStart start =
        new LeaderStart(
            one.start.leadership(),
            OneLeader.SETTINGS,
            loaded.lastBatch(),
            loaded.version(),
            one.start.takeover());
    state = one.stateAfter(loaded, OneLeader.budgets(budget));
    leader = new Leader(start, one.ports, state, one.lease, steps::add);
  }

  /// Decides on these, and makes it durable.
  private void decide(Command... commands) throws InterruptedException {
    steps.clear();
    leader.decide(List.of(commands));
    for (LoopStep step : steps) {
      step.batch()
          .ifPresent(batch ->
              assertThat(
                      one.ports
                          .store()
                          .commit(leader.leadership(), OneLeader.SETTINGS.lease(), batch))
                  .isInstanceOf(CommitResult.Committed.class));
    }
  }

  private JobRecord job(String name) {
    return state.jobs().job(new JobName(OneLeader.TENANT, name)).orElseThrow();
  }

  private List<String> told() {
    return messages(EventType.BUDGET);
  }

  private List<String> messages(EventType type) {
    return steps.stream()
        .flatMap(step -> step.batch().stream())
        .flatMap(batch -> batch.events().stream())
        .filter(event -> event.type() == type)
        .map(EventRecord::message)
        .toList();
  }

  private List<Dispatch> stops() {
    return steps.stream()
        .flatMap(step -> step.dispatches().stream())
        .filter(dispatch -> !(dispatch instanceof Dispatch.Run))
        .toList();
  }
}
