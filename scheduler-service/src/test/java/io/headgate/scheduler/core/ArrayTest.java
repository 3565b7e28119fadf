package io.headgate.scheduler.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.scheduler.core.explain.Denial;
import io.headgate.scheduler.core.explain.Forecast;
import io.headgate.scheduler.core.explain.Reason;
import io.headgate.scheduler.core.job.Dependency;
import io.headgate.scheduler.core.job.Dependency.Condition;
import io.headgate.scheduler.core.job.Gate;
import io.headgate.scheduler.core.job.JobArray;
import io.headgate.scheduler.core.job.JobArray.Tally;
import io.headgate.scheduler.core.job.JobEvent;
import io.headgate.scheduler.core.job.JobState;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Arrays: equal jobs that wait as one.
class ArrayTest {
  private static TenantBuilder tenant() {
    return new TenantBuilder()
        .pool("pool")
        .profile("one", "1", "pool")
        .policy("team", "4", "4")
        .policy("owner", "4", "4")
        .queue("q", "team", "one", 2)
        .queue("first", "owner", "one", 1);
  }

  private static Driver fourGpus() {
    return new Driver(tenant()).join(Driver.node("n", "pool", 4));
  }

  @Test
  void elementsStartInTheirOrderAsFarAsThereIsRoom() {
    Driver it = fourGpus().submitArray("sweep", "q", 10, 0).settle();
    assertThat(it.in(JobState.RUNNING)).containsExactly("sweep.1", "sweep.2", "sweep.3", "sweep.4");
    assertThat(it.array("sweep").tally()).isEqualTo(new Tally(0, 4, 0, 0, 0));
    assertThat(it.array("sweep").notStarted()).isEqualTo(6);
    it.exit("sweep.2", 0).settle();
    assertThat(it.in(JobState.RUNNING)).containsExactly("sweep.1", "sweep.3", "sweep.4", "sweep.5");
  }

  @Test
  void anArrayIsOneJobHoweverManyElementsItHas() {
    Driver it = fourGpus().submitArray("sweep", "q", JobArray.MAX_SIZE, 2).settle();
    assertThat(it.core.state().jobs()).hasSize(3);
    it.submit("q", "next");
    assertThat(it.core.queue(TenantBuilder.queueId("q")).orElseThrow().waiting()).isEqualTo(1);
    assertThat(it.state("next")).as("beside an array that rests").isEqualTo(JobState.ASSIGNED);
  }

  @Test
  void noMoreElementsRunAtTheSameTimeThanTheArrayAllows() {
    Driver it = fourGpus().submitArray("sweep", "q", 5, 2).settle();
    assertThat(it.in(JobState.RUNNING)).containsExactly("sweep.1", "sweep.2");
    assertThat(it.reason("sweep")).isEqualTo(new Reason.MaxParallel(it.id("sweep"), 2, 2));
    it.exit("sweep.1", 0).settle();
    assertThat(it.in(JobState.RUNNING)).containsExactly("sweep.2", "sweep.3");
  }

  @ParameterizedTest
  @CsvSource({"0, 0, DONE", "0, 1, FAILED", "1, 1, FAILED"})
  void anArrayEndsWithItsLastElement(int first, int second, JobState end) {
    Driver it = fourGpus().submitArray("sweep", "q", 2, 0).settle();
    assertThat(it.reason("sweep")).isEqualTo(new Reason.Elements(it.id("sweep"), 2));
    it.exit("sweep.1", first);
    assertThat(it.state("sweep")).isEqualTo(JobState.WAITING);
    it.exit("sweep.2", second);
    assertThat(it.state("sweep")).isEqualTo(end);
    assertThat(it.core.state().jobs()).isEmpty();
  }

  @Test
  void cancellingAnArrayCancelsWhatRunsAndWhatHasNotStarted() {
    Driver it = fourGpus().submitArray("sweep", "q", 10, 0).settle();
    it.exit("sweep.1", 0).cancel("sweep");
    assertThat(it.reason("sweep")).isEqualTo(new Reason.Elements(it.id("sweep"), 4));
    it.settle();
    assertThat(it.in(JobState.CANCELLED))
        .containsExactly("sweep.2", "sweep.3", "sweep.4", "sweep.5", "sweep");
    assertThat(it.record("sweep").array().orElseThrow().notStarted()).isEqualTo(5);
  }

  @Test
  void anArrayThatWasCancelledGoesOnWithTheElementsThatHaveNeverStarted() {
    Driver it = fourGpus().submitArray("sweep", "q", 6, 0).settle().cancel("sweep").settle();
    it.requeue("sweep").settle();
    assertThat(it.in(JobState.RUNNING)).containsExactly("sweep.5", "sweep.6");
    it.exit("sweep.5", 0).exit("sweep.6", 0);
    assertThat(it.state("sweep")).as("four were cancelled").isEqualTo(JobState.CANCELLED);
  }

  @Test
  void anArrayOfWhichAllHaveStartedCannotBeRequeued() {
    Driver it = fourGpus().submitArray("sweep", "q", 1, 0).settle().exit("sweep.1", 1);
    it.requeue("sweep");
    assertThat(it.denial())
        .isEqualTo(new Denial.WrongState(it.id("sweep"), JobState.FAILED, JobEvent.REQUEUE));
  }

  @Test
  void anElementThatIsCancelledBeforeItsStartIsPassed() {
    Driver it = fourGpus().submitArray("sweep", "q", 6, 2).settle();
    it.decide(new Input.JobCancelled(it.element("sweep", 4)));
    assertThat(it.state("sweep.4")).isEqualTo(JobState.CANCELLED);
    it.exit("sweep.1", 0).exit("sweep.2", 0).settle();
    assertThat(it.in(JobState.RUNNING)).containsExactly("sweep.3", "sweep.5");
    it.exit("sweep.3", 0).exit("sweep.5", 0).settle().exit("sweep.6", 0);
    assertThat(it.state("sweep")).isEqualTo(JobState.CANCELLED);
  }

  @Test
  void anElementThatIsRequeuedGoesBeforeThoseThatHaveNotStarted() {
    Driver it = fourGpus().submitArray("sweep", "q", 6, 2).settle();
    it.exit("sweep.1", 1).settle();
    it.requeue("sweep.1").settle();
    assertThat(it.in(JobState.RUNNING)).containsExactly("sweep.2", "sweep.3");
    assertThat(it.reason("sweep.1")).isEqualTo(new Reason.MaxParallel(it.id("sweep"), 3, 2));
    it.exit("sweep.2", 0).settle();
    assertThat(it.in(JobState.RUNNING)).containsExactly("sweep.1", "sweep.3");
    assertThat(it.attempt("sweep.1").id().number()).isEqualTo(2);
  }

  @Test
  void anArrayThatHasEndedIsOverAgainWhenItsElementIs() {
    Driver it = fourGpus().submitArray("sweep", "q", 2, 0).settle();
    it.exit("sweep.1", 0).exit("sweep.2", 1);
    assertThat(it.state("sweep")).isEqualTo(JobState.FAILED);
    it.decide(new Input.JobRequeued(it.record("sweep.2"), Optional.of(it.record("sweep"))));
    it.settle();
    assertThat(it.state("sweep")).isEqualTo(JobState.WAITING);
    it.exit("sweep.2", 0);
    assertThat(it.state("sweep")).isEqualTo(JobState.DONE);
  }

  @Test
  void aPreemptedElementReturnsToItsOldPlaceBeforeTheRestOfItsArray() {
    Driver it =
        new Driver(
                new TenantBuilder()
                    .pool("pool")
                    .profile("one", "1", "pool")
                    .policy("team", "0", "2")
                    .policy("owner", "2", "2")
                    .queue("q", "team", "one", 2)
                    .queue("first", "owner", "one", 1))
            .join(Driver.node("n", "pool", 2))
            .submitArray("sweep", "q", 5, 0)
            .settle();
    it.submit("first", "urgent").settle();
    assertThat(it.in(JobState.RUNNING)).containsExactly("sweep.1", "urgent");
    assertThat(it.state("sweep.2")).isEqualTo(JobState.WAITING);
    it.exit("urgent", 0).settle();
    assertThat(it.in(JobState.RUNNING)).containsExactly("sweep.1", "sweep.2");
  }

  @Test
  void anArrayWhoseQueueIsRemovedIsADraftOnceItsElementsHaveEnded() {
    Driver it = fourGpus().submitArray("sweep", "q", 6, 2).settle();
    it.withdraw("sweep");
    assertThat(it.state("sweep")).isEqualTo(JobState.WAITING);
    it.exit("sweep.1", 0).settle();
    assertThat(it.in(JobState.RUNNING)).containsExactly("sweep.2");
    it.exit("sweep.2", 0);
    assertThat(it.state("sweep")).isEqualTo(JobState.DRAFT);
    it.requeue("sweep").settle();
    assertThat(it.in(JobState.RUNNING)).containsExactly("sweep.3", "sweep.4");
  }

  @Test
  void jobsWaitForTheEndOfAWholeArray() {
    Driver it = fourGpus().submitArray("sweep", "q", 2, 0).settle();
    it.decide(
        new Input.JobSubmitted(
            it.spec("report", "q"),
            new Gate(
                Optional.empty(), List.of(new Dependency(it.id("sweep"), "sweep", Condition.OK)))));
    it.exit("sweep.1", 0).settle();
    assertThat(it.state("report")).isEqualTo(JobState.WAITING);
    it.exit("sweep.2", 0).settle();
    assertThat(it.state("report")).isEqualTo(JobState.RUNNING);
  }

  @Test
  void anArrayIsForeseenToStartWithItsNextElement() {
    Driver it = new Driver(tenant()).join(Driver.node("n", "pool", 1));
    it.submit(it.timed("before", "q", Duration.ofMinutes(10))).settle();
    it.submitArray("sweep", "q", 1000, 0);
    Forecast forecast = it.core.forecast(it.id("sweep"), it.now).get().orElseThrow();
    assertThat(forecast).isInstanceOf(Forecast.Expected.class);
    assertThat(((Forecast.Expected) forecast).start())
        .isEqualTo(it.now.plus(Duration.ofMinutes(10)));
  }

  @Test
  void aCoreThatIsLoadedGoesOnInTheSameWay() {
    Driver it = fourGpus().submitArray("sweep", "q", 8, 3).settle();
    it.exit("sweep.1", 1).settle().requeue("sweep.1");
    it.decide(new Input.JobCancelled(it.element("sweep", 7)));
    SchedulerCore copy = it.core.copy();
    assertThat(copy.state()).isEqualTo(it.core.state());
    List<Input> end =
        List.of(new Input.WorkerExited(it.attemptId("sweep.2"), 0, 0), new Input.TimePassed());
    assertThat(copy.decide(end, it.now).effects()).isEqualTo(it.core.decide(end, it.now).effects());
  }
}
