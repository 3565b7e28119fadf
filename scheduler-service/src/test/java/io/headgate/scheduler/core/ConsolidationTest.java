package io.headgate.scheduler.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.scheduler.core.explain.Reason;
import io.headgate.scheduler.core.job.JobSpec;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.core.job.Preemption;
import io.headgate.scheduler.core.job.PreemptionRule;
import io.headgate.scheduler.core.job.StopCause;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// Rule P11: a pool that consolidates moves movable jobs to make room for a blocked one.
class ConsolidationTest {
  /// Notebooks of half a GPU, and training jobs of two. Neither policy is ever above its
  /// reservation, so that nothing is reclaimed.
  private static TenantBuilder tenant() {
    return new TenantBuilder()
        .pool("pool")
        .changePool("pool", pool -> pool.with().consolidate(true).build())
        .profile("half", "1/2", "pool")
        .profile("two", "2", "pool")
        .policy("notebooks", "4", "4")
        .policy("training", "4", "4")
        .queue("nb", "notebooks", "half", 1)
        .queue("tr", "training", "two", 1);
  }

  private static JobSpec movable(Driver it, String name) {
    return it.spec(name, "nb").with().movable(true).build();
  }

  /// On each of the nodes m and n, of two GPUs, half a GPU of each device is in use.
  private static Driver scattered(TenantBuilder tenant) {
    return scattered(tenant, Duration.ZERO);
  }

  /// @param stopTime of each job
  private static Driver scattered(TenantBuilder tenant, Duration stopTime) {
    Driver it = new Driver(tenant).join(Driver.node("m", "pool", 2), Driver.node("n", "pool", 2));
    for (int i = 0; i < 8; i++) {
      it.submit(movable(it, "h" + i).with().stopTime(stopTime).build());
    }
    it.run();
    for (int i = 0; i < 8; i += 2) {
      it.exit("h" + i, 0);
    }
    assertThat(it.in(JobState.RUNNING)).containsExactly("h1", "h3", "h5", "h7");
    return it.forget();
  }

  @Test
  void movesTheJobsOfOneNodeToTheOther() {
    Driver it = scattered(tenant()).submit("tr", "big");
    assertThat(it.stopped()).hasSize(2);
    String first = it.stopped().getFirst();
    assertThat(it.attempt(first).stop().orElseThrow().cause())
        .isInstanceOfSatisfying(
            StopCause.Preempted.class,
            cause -> {
              assertThat(cause.rule()).isEqualTo(PreemptionRule.P11);
              assertThat(cause.by()).isEqualTo(it.id("big"));
            });
    String left = it.place(first).substring(0, 1);
    it.settle();
    assertThat(it.in(JobState.RUNNING)).containsExactly("h1", "h3", "h5", "h7", "big");
    assertThat(it.place("big")).startsWith(left);
    assertThat(it.place(first)).doesNotStartWith(left);
  }

  @Test
  void aMovedJobsPlaceIsHeldBeforeItIsAskedToStop() {
    Driver it = scattered(tenant()).submit("tr", "big");
    for (String moved : it.stopped()) {
      assertThat(it.core.hold(it.id(moved)).orElseThrow().waitsFor())
          .containsExactly(it.attemptId(moved));
    }
    // The free halves are held for the moved jobs and for the blocked one.
    it.submit("nb", "late");
    assertThat(it.state("late")).isEqualTo(JobState.WAITING);
    it.stopAll();
    assertThat(it.state("late")).isEqualTo(JobState.WAITING);
    assertThat(it.in(JobState.ASSIGNED)).hasSize(3).contains("big");
  }

  @Test
  void aJobWhoseAttemptHasEndedStartsInItsNewPlace() {
    Driver it = scattered(tenant()).submit("tr", "big");
    String first = it.stopped().getFirst();
    String second = it.stopped().getLast();
    it.decide(new Input.WorkerStopped(it.attemptId(first), 0));
    assertThat(it.state(first)).isEqualTo(JobState.ASSIGNED);
    assertThat(it.reason("big")).isInstanceOf(Reason.WaitingForVictims.class);
    assertThat(it.state(second)).isEqualTo(JobState.STOPPING);
  }

  @Test
  void aMoveThatIsCancelledLeavesNoHold() {
    Driver it = scattered(tenant()).submit("tr", "big");
    String first = it.stopped().getFirst();
    it.cancel(first).settle();
    assertThat(it.core.hold(it.id(first))).isEmpty();
    assertThat(it.state("big")).isEqualTo(JobState.RUNNING);
    assertThat(it.in(JobState.RUNNING)).hasSize(4).doesNotContain(first);
  }

  @Test
  void aNewLeaderGoesOnWithTheMove() {
    Driver it = scattered(tenant()).submit("tr", "big");
    it.core = SchedulerCore.load(it.core.state(), it.core.placement());
    it.settle();
    assertThat(it.in(JobState.RUNNING)).containsExactly("h1", "h3", "h5", "h7", "big");
  }

  @Test
  void doesNothingInAPoolThatDoesNotConsolidate() {
    TenantBuilder tenant =
        tenant().changePool("pool", pool -> pool.with().consolidate(false).build());
    assertThat(scattered(tenant).submit("tr", "big").stopped()).isEmpty();
  }

  @Test
  void movesNoJobThatMayNotBePreempted() {
    TenantBuilder tenant = tenant().nonPreemptible("notebooks");
    assertThat(scattered(tenant).submit("tr", "big").stopped()).isEmpty();
  }

  @Test
  void movesNoJobBeforeItsLeastRunTime() {
    Driver it = scattered(tenant().minRuntime("notebooks", Duration.ofMinutes(5)));
    it.submit("tr", "big");
    assertThat(it.stopped()).isEmpty();
    it.after(Duration.ofMinutes(5)).pass();
    assertThat(it.stopped()).hasSize(2);
  }

  /// Two jobs of half a GPU lose an hour each, and the blocked job of two GPUs would wait for ten
  /// minutes.
  @Test
  void movesNoJobsThatLoseMoreThanTheBlockedJobWaits() {
    Driver it = scattered(tenant()).after(Duration.ofHours(1)).submit("tr", "big");
    assertThat(it.stopped()).isEmpty();
    it.decide(
        new Input.AttemptCheckpointed(it.attemptId("h1"), it.now),
        new Input.AttemptCheckpointed(it.attemptId("h3"), it.now));
    assertThat(it.stopped()).containsExactlyInAnyOrder("h1", "h3");
  }

  /// Four runs ended at once, so the others are expected to end within a second. They do not.
  @Test
  void jobsMoveOnceTheyHaveOutlastedWhatWasExpected() {
    Driver it = scattered(tenant(), Duration.ofMinutes(3)).submit("tr", "big");
    assertThat(it.stopped()).isEmpty();
    Instant expected = it.wakeAt.orElseThrow();
    assertThat(expected).isBefore(it.now.plusSeconds(1));
    while (it.stopped().isEmpty() && it.now.isBefore(expected.plusSeconds(1))) {
      it.after(Duration.between(it.now, it.wakeAt.orElseThrow())).pass();
    }
    assertThat(it.stopped()).hasSize(2);
  }

  /// A half of a GPU that loses four minutes of work loses two minutes of GPU time.
  @Test
  void saysWhatAMoveLoses() {
    Driver it = scattered(tenant()).after(Duration.ofMinutes(4)).submit("tr", "big");
    Preemption move = it.record(it.stopped().getFirst()).lastPreemption().orElseThrow();
    assertThat(move.by()).isEqualTo(it.id("big"));
    assertThat(move.grounds().lost()).contains(Duration.ofMinutes(2));
  }

  @Test
  void aJobMovesOnceAnHourAtMost() {
    Driver it = scattered(tenant()).submit("tr", "big").settle();
    it.exit("big", 0).forget();
    // Half of each device of one node is in use again: two of the moved jobs' neighbours end.
    it.settle().forget();
    it.submit("nb", "x0", "x1", "x2", "x3").run();
    for (String name : new String[] {"h1", "h3", "h5", "h7"}) {
      if (it.record(name).attempts() == 1) {
        it.exit(name, 0);
      }
    }
    it.forget();
    it.submit("tr", "next");
    assertThat(it.stopped()).isEmpty();
  }

  @Test
  void theBlockedJobWaitsForItsPoliciesTimeBeforeJobsMove() {
    TenantBuilder tenant =
        tenant()
            .changePolicy(
                "training", policy -> policy.with().preemptAfter(Duration.ofMinutes(2)).build());
    Driver it = scattered(tenant).submit("tr", "big");
    assertThat(it.stopped()).isEmpty();
    it.after(Duration.ofMinutes(2)).pass();
    assertThat(it.stopped()).hasSize(2);
  }

  /// An over-reservation job moves no job within its reservation.
  @Test
  void aJobThatComesFirstByItsStandingDoesNotMove() {
    TenantBuilder tenant = tenant().policy("training", "0", "4");
    assertThat(scattered(tenant).submit("tr", "big").stopped()).isEmpty();
  }

  @Test
  void jobsThatAreNotMovableStay() {
    Driver it = new Driver(tenant()).join(Driver.node("m", "pool", 2), Driver.node("n", "pool", 2));
    for (int i = 0; i < 8; i++) {
      it.submit("nb", "h" + i);
    }
    it.run();
    for (int i = 0; i < 8; i += 2) {
      it.exit("h" + i, 0);
    }
    it.forget().submit("tr", "big");
    assertThat(it.stopped()).isEmpty();
    assertThat(Optional.of(it.state("big"))).contains(JobState.WAITING);
  }
}
