package io.headgate.scheduler.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.scheduler.core.explain.Explanation;
import io.headgate.scheduler.core.explain.Forecast;
import io.headgate.scheduler.core.explain.Reason;
import io.headgate.scheduler.core.job.Dependency;
import io.headgate.scheduler.core.job.Dependency.Condition;
import io.headgate.scheduler.core.job.Gate;
import io.headgate.scheduler.core.job.JobSpec;
import io.headgate.scheduler.core.job.JobState;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Jobs that wait for other jobs or for a time, and changes of waiting jobs.
class GateTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private static Driver twoGpus() {
    return new Driver(
            new TenantBuilder()
                .pool("pool")
                .profile("one", "1", "pool")
                .profile("two", "2", "pool")
                .policy("team", "2", "2")
                .queue("q", "team", "one", 1)
                .queue("large", "team", "two", 1)
                .queue("other", "team", "one", 2))
        .join(Driver.node("n", "pool", 2));
  }

  private static Dependency on(Driver it, String job, Condition condition) {
    return new Dependency(it.id(job), job, condition);
  }

  private static Input after(Driver it, String job, Dependency... dependencies) {
    return new Input.JobSubmitted(
        it.spec(job, "q"), new Gate(Optional.empty(), Arrays.asList(dependencies)));
  }

  private static Input notBefore(Driver it, String job, Instant time) {
    return new Input.JobSubmitted(it.spec(job, "q"), new Gate(Optional.of(time), List.of()));
  }

  @Test
  void aChainRunsInOrderThoughTheClusterIsIdle() {
    Driver it = twoGpus().submit("q", "prepare");
    it.decide(after(it, "train", on(it, "prepare", Condition.OK)));
    it.decide(after(it, "report", on(it, "train", Condition.OK)));
    it.settle();
    assertThat(it.in(JobState.RUNNING)).containsExactly("prepare");
    assertThat(it.reason("train"))
        .isEqualTo(new Reason.AfterJobs(on(it, "prepare", Condition.OK), 0));
    it.exit("prepare", 0).settle();
    assertThat(it.in(JobState.RUNNING)).containsExactly("train");
    it.exit("train", 0).settle();
    assertThat(it.in(JobState.RUNNING)).containsExactly("report");
  }

  @ParameterizedTest
  @CsvSource({
    "OK, 0, RUNNING",
    "OK, 1, CANCELLED",
    "ANY, 0, RUNNING",
    "ANY, 1, RUNNING",
    "FAIL, 0, CANCELLED",
    "FAIL, 1, RUNNING"
  })
  void theConditionSaysHowTheOtherJobMustEnd(Condition condition, int exitCode, JobState then) {
    Driver it = twoGpus().submit("q", "first");
    it.decide(after(it, "second", on(it, "first", condition))).settle();
    it.exit("first", exitCode).settle();
    assertThat(it.state("second")).isEqualTo(then);
  }

  @Test
  void allJobsOfAChainAreCancelledThatCanNeverStart() {
    Driver it = twoGpus().submit("q", "a");
    it.decide(after(it, "b", on(it, "a", Condition.OK)));
    it.decide(after(it, "c", on(it, "b", Condition.OK)));
    it.decide(after(it, "clean-up", on(it, "c", Condition.ANY))).settle();
    it.forget().cancel("a").settle();
    assertThat(it.in(JobState.CANCELLED)).containsExactly("a", "b", "c");
    assertThat(it.in(JobState.RUNNING)).containsExactly("clean-up");
    assertThat(it.effects)
        .contains(
            new Effect.DependencyFailed(it.id("c"), on(it, "b", Condition.OK), JobState.CANCELLED));
  }

  @Test
  void aPreemptedOrRequeuedJobHasNotEnded() {
    Driver it = twoGpus().submit("q", "first");
    it.decide(after(it, "second", on(it, "first", Condition.ANY))).settle();
    it.requeue("first").settle();
    assertThat(it.state("first")).isEqualTo(JobState.RUNNING);
    assertThat(it.state("second")).isEqualTo(JobState.WAITING);
  }

  @Test
  void aJobThatEndsInTheBatchThatBringsItsDependentHasEnded() {
    Driver it = twoGpus().submit("q", "first").settle();
    Input end = new Input.WorkerExited(it.attemptId("first"), 0, 0);
    it.decide(end, after(it, "second", on(it, "first", Condition.OK))).settle();
    assertThat(it.state("second")).isEqualTo(JobState.RUNNING);
  }

  @Test
  void aJobThatWaitsForAnotherDoesNotHoldUpItsQueue() {
    Driver it = twoGpus().submit("large", "first").settle();
    it.decide(after(it, "second", on(it, "first", Condition.OK)));
    it.submit("q", "third", "fourth");
    assertThat(it.core.position(it.id("second"))).isEmpty();
    assertThat(it.core.position(it.id("third"))).contains(new Explanation.Position(1, 2));
    assertThat(it.core.position(it.id("fourth"))).contains(new Explanation.Position(2, 2));
  }

  @Test
  void aJobKeepsItsPlaceWhileItWaitsForAnother() {
    Driver it = twoGpus().submit("large", "first").settle();
    it.decide(after(it, "second", on(it, "first", Condition.OK)));
    it.submit("q", "third", "fourth");
    it.exit("first", 0);
    assertThat(it.in(JobState.ASSIGNED)).containsExactly("second", "third");
    assertThat(it.core.job(it.id("second")).orElseThrow().waitingSince()).isEqualTo(it.now);
  }

  @Test
  void aJobStartsAtItsTimeAndNotBefore() {
    Driver it = twoGpus();
    Instant time = it.now.plus(MINUTE);
    it.decide(notBefore(it, "a", time));
    assertThat(it.reason("a")).isEqualTo(new Reason.NotBefore(time));
    assertThat(it.wakeAt).contains(time);
    it.after(MINUTE.minusMillis(1)).pass();
    assertThat(it.state("a")).isEqualTo(JobState.WAITING);
    it.after(Duration.ofMillis(1)).pass();
    assertThat(it.state("a")).isEqualTo(JobState.ASSIGNED);
  }

  @Test
  void aTimeThatIsOverHoldsNothingBack() {
    Driver it = twoGpus();
    it.decide(notBefore(it, "a", it.now.minus(MINUTE)));
    assertThat(it.state("a")).isEqualTo(JobState.ASSIGNED);
  }

  @Test
  void anotherCoreGoesOnWithTheSameGates() {
    Driver it = twoGpus().submit("q", "first").settle();
    Instant time = it.now.plus(MINUTE);
    it.decide(after(it, "second", on(it, "first", Condition.FAIL)), notBefore(it, "third", time));
    SchedulerCore copy = it.core.copy();
    assertThat(copy.state()).isEqualTo(it.core.state());
    assertThat(copy.reason(it.id("second"))).contains(it.reason("second"));
    assertThat(copy.decide(List.of(new Input.TimePassed()), it.now).wakeAt()).contains(time);
  }

  @Test
  void theExpectedStartFollowsFromTheJobsThatItWaitsFor() {
    Driver it = twoGpus();
    it.submit(it.timed("first", "q", Duration.ofHours(1))).settle();
    it.decide(
        after(it, "second", on(it, "first", Condition.OK)),
        after(it, "third", on(it, "first", Condition.FAIL)));
    assertThat(it.core.forecast(it.id("second"), it.now).get())
        .hasValueSatisfying(forecast ->
            assertThat(forecast)
                .isInstanceOfSatisfying(
                    Forecast.Expected.class,
                    expected ->
                        assertThat(expected.start()).isEqualTo(it.now.plus(Duration.ofHours(1)))));
    assertThat(it.core.forecast(it.id("third"), it.now).get()).isEmpty();
    assertThat(it.core.forecasts(Set.of(it.id("second"), it.id("third")), it.now).get())
        .containsExactly(Map.entry(it.id("second"), it.now.plus(Duration.ofHours(1))));
  }

  @Test
  void aGatedJobCanBeCancelledAndWithdrawn() {
    Driver it = twoGpus().submit("q", "first").settle();
    it.decide(
        after(it, "second", on(it, "first", Condition.OK)),
        after(it, "third", on(it, "first", Condition.OK)));
    it.cancel("second").withdraw("third");
    it.exit("first", 0);
    assertThat(it.state("second")).isEqualTo(JobState.CANCELLED);
    assertThat(it.state("third")).isEqualTo(JobState.DRAFT);
  }

  @Test
  void aChangedPriorityChangesThePlace() {
    Driver it = twoGpus().submit("large", "first").settle().submit("q", "second", "third");
    it.decide(update(it.spec("third", "q").with().priority(1).build()));
    assertThat(it.core.position(it.id("third"))).contains(new Explanation.Position(1, 2));
  }

  @Test
  void aJobThatMovesToAnotherQueueIsCheckedAgainstIt() {
    Driver it = twoGpus().submit("large", "first").settle().submit("q", "second");
    it.decide(update(it.spec("second", "nowhere")));
    assertThat(it.refusals).hasSize(1);
    assertThat(it.state("second")).isEqualTo(JobState.WAITING);
    it.decide(update(it.spec("second", "other")));
    assertThat(it.core.waiting(it.spec("second", "other").queue(), 9))
        .containsExactly(it.id("second"));
    it.exit("first", 0);
    assertThat(it.state("second")).isEqualTo(JobState.ASSIGNED);
  }

  private static Input update(JobSpec spec) {
    return new Input.JobUpdated(spec);
  }
}
