package io.headgate.scheduler.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.scheduler.core.catalog.SpentBudget;
import io.headgate.scheduler.core.catalog.SpentBudget.Effect;
import io.headgate.scheduler.core.catalog.SpentBudget.Level;
import io.headgate.scheduler.core.explain.Forecast;
import io.headgate.scheduler.core.explain.Reason;
import io.headgate.scheduler.core.job.JobState;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/// The effect of a spent budget on the jobs of a policy.
class SpentBudgetTest {
  private static SpentBudget spent(Effect effect) {
    return new SpentBudget(
        Level.POLICY,
        "team",
        "5000 GPU-hours",
        Instant.parse("2026-12-01T00:00:00Z"),
        effect,
        effect == Effect.YIELD);
  }

  private static TenantBuilder tenant() {
    return new TenantBuilder()
        .pool("pool")
        .profile("one", "1", "pool")
        .policy("team", "2", "4")
        .policy("other", "2", "4")
        .queue("q", "team", "one", 1)
        .queue("o", "other", "one", 1);
  }

  private static Driver on(TenantBuilder tenant, int gpus) {
    return new Driver(tenant).join(Driver.node("n", "pool", gpus));
  }

  @Test
  void jobsWaitUntilItBeginsAnewAndThoseThatRunGoOn() {
    Driver it = on(tenant(), 4).submit("q", "a").run().forget();
    it.provision(tenant().spent("team", spent(Effect.WAIT))).submit("q", "b");
    assertThat(it.stopped()).isEmpty();
    assertThat(it.state("a")).isEqualTo(JobState.RUNNING);
    assertThat(it.reason("b")).isEqualTo(new Reason.Budget(spent(Effect.WAIT)));
    assertThat(it.core.forecast(it.id("b"), it.now).get())
        .hasValue(new Forecast.Unknown(Forecast.Cause.BUDGET));
    it.submit("o", "c");
    assertThat(it.state("c")).as("others start").isEqualTo(JobState.ASSIGNED);
    it.provision(tenant());
    assertThat(it.state("b")).isEqualTo(JobState.ASSIGNED);
  }

  @Test
  void waitingJobsTakeNothingFromOthers() {
    Driver it = on(tenant(), 4).submit("o", "1", "2", "3", "4").run().forget();
    it.provision(tenant().spent("team", spent(Effect.WAIT))).submit("q", "a");
    assertThat(it.stopped()).isEmpty();
    it.provision(tenant());
    assertThat(it.stopped()).as("its reservation counts again").hasSize(1);
  }

  @Test
  void aPolicyThatYieldsGivesItsReservationBackToTheOthers() {
    Driver it = on(tenant(), 2).submit("q", "a", "b").run().forget();
    it.submit("o", "c");
    assertThat(it.stopped()).as("both are in the reservation of team").isEmpty();
    it.provision(tenant().spent("team", spent(Effect.YIELD)));
    assertThat(it.stopped()).hasSize(1);
  }

  @Test
  void aPolicyThatYieldsUsesWhatOthersLeave() {
    Driver it = on(tenant().spent("team", spent(Effect.YIELD)), 2).submit("q", "a");
    assertThat(it.state("a")).isEqualTo(JobState.ASSIGNED);
  }

  @Test
  void jobsThatMustStayInsideTheReservationWaitAndAreNotRefused() {
    Driver it =
        on(tenant().spent("team", spent(Effect.YIELD)).entitledOnly("q"), 2).submit("q", "a");
    assertThat(it.reason("a")).isEqualTo(new Reason.Budget(spent(Effect.YIELD)));
    it.provision(tenant().entitledOnly("q"));
    assertThat(it.state("a")).isEqualTo(JobState.ASSIGNED);
    Driver steady =
        on(tenant().spent("team", spent(Effect.YIELD)).nonPreemptible("team"), 2).submit("q", "a");
    assertThat(steady.reason("a")).isEqualTo(new Reason.Budget(spent(Effect.YIELD)));
  }

  @Test
  void aPausedQueueIsThePrecedingReason() {
    Driver it = on(tenant().spent("team", spent(Effect.WAIT)).closed("q"), 2).submit("q", "a");
    assertThat(it.reason("a")).isInstanceOf(Reason.QueueClosed.class);
  }
}
