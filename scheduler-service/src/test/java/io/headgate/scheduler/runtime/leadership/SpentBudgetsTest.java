package io.headgate.scheduler.runtime.leadership;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.scheduler.core.catalog.SpentBudget.Level;
import io.headgate.scheduler.core.explain.Reason;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.runtime.agent.AgentReport;
import io.headgate.scheduler.runtime.agent.AgentSession;
import io.headgate.scheduler.runtime.agent.Dispatch;
import io.headgate.scheduler.runtime.desk.Command;
import io.headgate.scheduler.runtime.record.Budget;
import io.headgate.scheduler.runtime.record.Budget.Per;
import io.headgate.scheduler.runtime.record.Budget.WhenSpent;
import io.headgate.scheduler.runtime.record.BudgetUse;
import io.headgate.scheduler.runtime.record.EventRecord;
import io.headgate.scheduler.runtime.record.EventType;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// The leader's answer to counts that say that budgets are used up.
final class SpentBudgetsTest {
  private static final Budget.Key POLICY = new Budget.Key(OneLeader.TENANT, Level.POLICY, "policy");

  private final SteppedLeader leader = new SteppedLeader();

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
    leader.decide(configured(budget("10", WhenSpent.WARN)));
    leader.decide(used("7"));
    assertThat(told()).isEmpty();
    leader.decide(used("8"));
    assertThat(told())
        .containsExactly(
            "policy policy has used 8.00 of its budget of 10 GPU-hours, 80 %, until"
                + " 1970-01-02T00:00:00Z");
    leader.decide(used("9"));
    assertThat(told()).isEmpty();
    leader.decide(used("10.5"));
    assertThat(told())
        .containsExactly(
            "policy policy has used all of its budget of 10 GPU-hours until 1970-01-02T00:00:00Z:"
                + " its jobs go on all the same");
  }

  @Test
  void keepsJobsWaitingUntilTheNextPeriod() throws InterruptedException {
    leader.connect();
    leader.decide(configured(budget("10", WhenSpent.WAIT)));
    leader.decide(used("10"));
    leader.decide(OneLeader.submit("a", "run"));
    assertThat(leader.stateOf("a")).isEqualTo(JobState.WAITING);
    assertThat(leader.state().core().reason(leader.job("a").id()).orElseThrow())
        .isInstanceOf(Reason.Budget.class);
    leader.decide(used("0", Instant.EPOCH.plusSeconds(86_400)));
    assertThat(leader.stateOf("a")).isEqualTo(JobState.ASSIGNED);
    assertThat(told())
        .containsExactly(
            "policy policy has room in its budget again: 0.00 of 10 GPU-hours used until"
                + " 1970-01-03T00:00:00Z");
  }

  @Test
  void startsJobsOfARaisedBudgetAtOnce() throws InterruptedException {
    leader.connect();
    leader.decide(configured(budget("10", WhenSpent.WAIT)));
    leader.decide(used("10"));
    leader.decide(OneLeader.submit("a", "run"));
    leader.decide(configured(budget("20", WhenSpent.WAIT)));
    assertThat(leader.stateOf("a")).isEqualTo(JobState.ASSIGNED);
  }

  @Test
  void stopsWhatRunsIfThatWasChosen() throws InterruptedException {
    AgentSession agent = leader.connect();
    leader.decide(configured(budget("10", WhenSpent.STOP)));
    leader.decide(OneLeader.submit("a", "run"));
    leader.decide(new Command.Report(agent, 1, OneLeader.report("a", AgentReport.State.RUNNING)));
    leader.decide(used("10"));
    assertThat(leader.stateOf("a")).isEqualTo(JobState.STOPPING);
    assertThat(messages(EventType.STOPPING))
        .containsExactly(
            "a is stopped to wait in its queue again: the budget of policy policy is spent");
    assertThat(stops()).hasSize(1);
    leader.decide(used("11"));
    assertThat(stops()).as("it was told already").isEmpty();
  }

  @Test
  void aNewLeaderJudgesARaisedBudgetByTheLastCount() throws InterruptedException {
    leader.decide(configured(budget("10", WhenSpent.WAIT)));
    leader.decide(used("10"));
    leader.decide(used("15"));
    Budget raised = budget("12", WhenSpent.WAIT);
    leader.decide(configured(raised));
    leader.follow(leader.load(), OneLeader.budgets(raised));
    leader.connect();
    leader.decide(OneLeader.submit("a", "run"));
    assertThat(leader.stateOf("a")).isEqualTo(JobState.WAITING);
  }

  @Test
  void aPeriodThatNobodyCountsDoesNotStaySpent() throws InterruptedException {
    leader.connect();
    leader.decide(configured(budget("10", WhenSpent.WAIT)));
    leader.decide(used("10"));
    leader.decide(OneLeader.submit("a", "run"));
    assertThat(leader.stateOf("a")).isEqualTo(JobState.WAITING);
    leader.one.time.advance(Duration.ofDays(1));
    leader.decide(new Command.BudgetsCounted(List.of()));
    assertThat(leader.stateOf("a")).isEqualTo(JobState.ASSIGNED);
  }

  @Test
  void aNewLeaderKnowsWhatIsSpentBeforeItCounts() throws InterruptedException {
    Budget budget = budget("10", WhenSpent.WAIT);
    leader.decide(configured(budget));
    leader.decide(used("10"));
    leader.follow(leader.load(), OneLeader.budgets(budget));
    leader.connect();
    leader.decide(OneLeader.submit("a", "run"));
    assertThat(leader.stateOf("a")).isEqualTo(JobState.WAITING);
    leader.decide(used("10.1"));
    assertThat(told()).as("it was told by the leader before").isEmpty();
    leader.decide(configured());
    assertThat(leader.stateOf("a")).isEqualTo(JobState.ASSIGNED);
    assertThat(leader.load().budgets()).as("there is no budget any more").isEmpty();
  }

  private List<String> told() {
    return messages(EventType.BUDGET);
  }

  private List<String> messages(EventType type) {
    return leader
        .batches()
        .flatMap(batch -> batch.events().stream())
        .filter(event -> event.type() == type)
        .map(EventRecord::message)
        .toList();
  }

  private List<Dispatch> stops() {
    return leader.dispatches().stream()
        .filter(dispatch -> !(dispatch instanceof Dispatch.Run))
        .toList();
  }
}
