package io.headgate.scheduler.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.scheduler.core.explain.Reason;
import io.headgate.scheduler.core.job.Hold;
import io.headgate.scheduler.core.job.HoldPause;
import io.headgate.scheduler.core.job.HoldRelease;
import io.headgate.scheduler.core.job.JobSpec;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.type.GpuQuantity;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// O7: a job that was passed for long enough holds what others leave.
class BlockedHoldTest {
  private static final Duration HOUR = Duration.ofHours(1);

  private static TenantBuilder tenant() {
    return new TenantBuilder()
        .pool("pool")
        .profile("four", "4", "pool")
        .profile("one", "1", "pool")
        .policy("large", "0", "8")
        .policy("small", "0", "8")
        .queue("l", "large", "four", 1)
        .queue("s", "small", "one", 1);
  }

  /// Four GPUs: two run for an hour, one for two, one idles; the large job needs all four.
  private static Driver blocked() {
    Driver it = new Driver(tenant()).join(Driver.node("n", "pool", 4));
    it.submit(it.timed("a", "s", HOUR), it.timed("b", "s", HOUR));
    it.submit(it.timed("c", "s", HOUR.multipliedBy(2))).run();
    return it.submit("l", "big").forget();
  }

  @Test
  void smallerJobsPassWhileItIsYoung() {
    Driver it = blocked().after(Duration.ofMinutes(9)).submit("s", "d");
    assertThat(it.state("d")).isEqualTo(JobState.ASSIGNED);
    assertThat(it.core.hold(it.id("big"))).isEmpty();
  }

  @Test
  void wakesToHoldWhenItIsOldEnough() {
    Driver it = blocked();
    assertThat(it.wakeAt).contains(it.now.plus(Duration.ofMinutes(10)));
    it.after(Duration.ofMinutes(10)).pass();
    assertThat(it.core.hold(it.id("big"))).isPresent();
    assertThat(it.reason("big"))
        .isInstanceOfSatisfying(
            Reason.Holding.class,
            reason -> {
              assertThat(reason.waitsFor())
                  .containsExactly(it.attemptId("a"), it.attemptId("b"), it.attemptId("c"));
              assertThat(reason.expectedStart())
                  .contains(it.now.minus(Duration.ofMinutes(10)).plus(HOUR.multipliedBy(2)));
            });
  }

  @Test
  void whatIsHeldIsLeftForIt() {
    Driver it = blocked().after(Duration.ofMinutes(10)).pass().submit("s", "d");
    assertThat(it.state("d")).isEqualTo(JobState.WAITING);
    assertThat(it.reason("d").code()).isEqualTo("HOLD");
    it.exit("a", 0).exit("b", 0);
    assertThat(it.state("d")).isEqualTo(JobState.WAITING);
    assertThat(it.core.pools().getFirst().idleForHolds()).isEqualTo(GpuQuantity.ofGpus(3));
    it.exit("c", 0);
    assertThat(it.state("big")).isEqualTo(JobState.ASSIGNED);
    assertThat(it.effects(Effect.HoldReleased.class).getLast().cause()).isEqualTo(HoldRelease.USED);
  }

  @Test
  void aJobThatEndsInTimeMayPass() {
    Driver it = blocked().after(Duration.ofMinutes(10)).pass();
    it.submit(it.timed("late", "s", HOUR.multipliedBy(2)));
    assertThat(it.state("late")).isEqualTo(JobState.WAITING);
    it.cancel("late").submit(it.timed("short", "s", Duration.ofMinutes(100)));
    assertThat(it.state("short")).isEqualTo(JobState.ASSIGNED);
    assertThat(it.core.hold(it.id("big"))).isPresent();
  }

  /// It is stopped when its run time is over, and has its slices until that is done.
  @Test
  void theTimeThatItsStopTakesCountsToo() {
    Driver it = blocked().after(Duration.ofMinutes(10)).pass();
    Duration run = Duration.ofMinutes(100);
    it.submit(it.timed("slow", "s", run, Duration.ofMinutes(11)));
    assertThat(it.state("slow")).isEqualTo(JobState.WAITING);
    it.cancel("slow").submit(it.timed("quick", "s", run, Duration.ofMinutes(10)));
    assertThat(it.state("quick")).isEqualTo(JobState.ASSIGNED);
  }

  @Test
  void aBetterRankedJobIsNotInItsWay() {
    Driver it =
        blocked()
            .after(Duration.ofMinutes(10))
            .pass()
            .provision(tenant().policy("owner", "1", "1").queue("o", "owner", "one", 1));
    it.submit("o", "mine");
    assertThat(it.state("mine")).isEqualTo(JobState.ASSIGNED);
    assertThat(it.stopped()).isEmpty();
  }

  @Test
  void restsAndGivesBackWhenTheJobGoes() {
    Driver it = blocked().after(Duration.ofMinutes(10)).pass().submit("s", "d").forget();
    for (int i = 0; i < 5; i++) {
      it.pass();
    }
    assertThat(it.effects).isEmpty();
    it.cancel("big");
    assertThat(it.state("d")).isEqualTo(JobState.ASSIGNED);
  }

  @Test
  void aCopyGoesOnAlike() {
    Driver it = blocked().after(Duration.ofMinutes(10)).pass().submit("s", "d").forget();
    it.core = it.core.copy();
    it.pass();
    assertThat(it.effects).isEmpty();
    it.exit("a", 0).exit("b", 0).exit("c", 0);
    assertThat(it.state("big")).isEqualTo(JobState.ASSIGNED);
  }

  /// The place that it leaves goes, in the same decision, to a job that waits for victims
  /// elsewhere.
  @Test
  void aJobThatWaitsForVictimsTakesAtOnceWhatAHolderLeaves() {
    Driver it =
        new Driver(
            new TenantBuilder()
                .pool("pool", "two", "one")
                .pool("other")
                .profile("one", "1", "pool")
                .profile("two", "2", "pool", "other")
                .changeProfile("two", p -> p.with().holdAfter(Duration.ZERO).build())
                .policy("dev", "1", "9")
                .policy("own", "9", "9")
                .queue("d", "dev", "one", 1)
                .queue("o", "own", "one", 1)
                .queue("o2", "own", "two", 1));
    it.join(Driver.node("m", "pool", 2));
    JobSpec fixed = it.spec("fixed", "d", "ada", 0, Optional.of(false));
    it.submit(fixed.with().maxRuntime(Optional.of(HOUR)).build()).submit("d", "filler").run();
    it.join(Driver.node("n", "pool", 1)).submit("d", "victim").run().exit("filler", 0);
    it.submit("o2", "blocked").submit("o", "mine");
    assertThat(it.reason("blocked").code()).isEqualTo("HOLDING");
    assertThat(it.stopped()).containsExactly("victim");
    it.join(Driver.node("k", "other", 2));
    assertThat(it.place("blocked")).isEqualTo("k:0,1");
    assertThat(it.place("mine")).isEqualTo("m:1");
  }

  /// One GPU of four is used by a job that declares no run time; the large job needs all four.
  private static Driver openEnded() {
    Driver it = new Driver(tenant()).join(Driver.node("n", "pool", 4));
    return it.submit("s", "open").run();
  }

  @Test
  void nothingIsHeldWhereAnEndlessJobIsInTheWay() {
    Driver it = openEnded().submit("l", "big").after(Duration.ofMinutes(10)).submit("s", "d");
    assertThat(it.core.hold(it.id("big"))).isEmpty();
    assertThat(it.state("d")).isEqualTo(JobState.ASSIGNED);
  }

  /// Five runs of half an hour ended. The one in the way has lasted for 15 minutes, then for longer
  /// than all of them.
  @Test
  void observedRunTimesSayWhenAJobEnds() {
    Driver it = withRuns(Duration.ofMinutes(30)).submit("l", "big").submit("s", "open").run();
    it.forget().after(Duration.ofMinutes(15)).pass();
    Instant start = it.core.hold(it.id("big")).orElseThrow().expectedStart().orElseThrow();
    assertThat(Duration.between(it.now, start)).isBetween(minutes(13), minutes(17));
    it.after(minutes(20)).pass();
    assertThat(it.core.hold(it.id("big"))).isEmpty();
  }

  private static Duration minutes(int number) {
    return Duration.ofMinutes(number);
  }

  /// Four GPUs; five jobs of "s" ran for this time and ended.
  private static Driver withRuns(Duration each) {
    Driver it = new Driver(tenant()).join(Driver.node("n", "pool", 4));
    for (int i = 0; i < 5; i++) {
      it.submit("s", "run" + i).run().after(each).exit("run" + i, 0);
    }
    return it.submit("s", "blocks").run();
  }

  /// No job of "s" has ended by itself yet. The hold waits for "open", which came just before and
  /// does not run yet.
  private static Driver unknown() {
    Driver it = new Driver(tenant()).join(Driver.node("n", "pool", 4));
    it.submit(it.timed("a", "s", HOUR)).submit("l", "big").run();
    it.after(minutes(8)).submit("s", "open").cancel("a").stopAll();
    return it.after(minutes(2)).pass();
  }

  @Test
  void aHoldOfUnknownStartLastsForHoldAfter() {
    Driver it = unknown();
    Hold hold = it.core.hold(it.id("big")).orElseThrow();
    assertThat(hold.expectedStart()).isEmpty();
    assertThat(hold.until()).contains(it.now.plus(minutes(10)));
    it.submit(it.timed("short", "s", minutes(10)), it.timed("long", "s", minutes(11)));
    assertThat(it.state("short")).isEqualTo(JobState.ASSIGNED);
    assertThat(it.state("long")).isEqualTo(JobState.WAITING);
  }

  @Test
  void aHoldOfUnknownStartDoesNotBeginAnewWhenAJobPasses() {
    Driver it = unknown();
    Hold hold = it.core.hold(it.id("big")).orElseThrow();
    it.submit(it.timed("short", "s", minutes(9))).after(minutes(1)).pass();
    assertThat(it.state("short")).isEqualTo(JobState.ASSIGNED);
    assertThat(it.core.hold(it.id("big"))).contains(hold);
  }

  @Test
  void itIsGivenUpAsSoonAsTheJobInTheWayIsEndless() {
    Driver it = unknown();
    assertThat(it.wakeAt).contains(it.now.plus(minutes(8)));
    it.after(minutes(8)).pass();
    assertThat(it.core.hold(it.id("big"))).isEmpty();
  }

  /// "open" runs only after nine minutes, so it is no endless job when the hold ends.
  private static Driver expired() {
    Driver it = unknown().after(minutes(9)).run().after(minutes(1)).forget().pass();
    assertThat(it.effects(Effect.HoldReleased.class))
        .containsExactly(new Effect.HoldReleased(it.id("big"), HoldRelease.EXPIRED));
    return it;
  }

  @Test
  void aPauseFollowsThatOthersUse() {
    Driver it = expired();
    assertThat(it.core.job(it.id("big")).orElseThrow().holdPause())
        .contains(new HoldPause(1, it.now.plus(minutes(10))));
    it.submit("s", "d");
    assertThat(it.state("d")).isEqualTo(JobState.ASSIGNED);
    it.forget();
    it.core = it.core.copy();
    it.pass();
    assertThat(it.effects).isEmpty();
    assertThat(it.core.hold(it.id("big"))).isEmpty();
  }

  @Test
  void thePauseEndsWhenAnExpectedStartIsKnown() {
    Driver it = expired();
    it.submit(it.timed("c", "s", HOUR)).run().cancel("open").stopAll();
    assertThat(it.core.hold(it.id("big")).flatMap(Hold::expectedStart)).isPresent();
    assertThat(it.core.job(it.id("big")).orElseThrow().holdPause()).isEmpty();
  }

  /// Expected on n at one o'clock by the runs seen so far; then m is expected to be free sooner.
  @Test
  void aHoldWhoseStartHasPassedMovesToWhereTheJobStartsSooner() {
    Driver it = new Driver(tenant()).join(Driver.node("n", "pool", 4));
    for (int i = 0; i < 8; i++) {
      it.submit("s", "run" + i).run().after(i < 6 ? HOUR : HOUR.multipliedBy(9)).exit("run" + i, 0);
    }
    it.submit("s", "slow").run().join(Driver.node("m", "pool", 4));
    it.submit(it.timed("m0", "l", HOUR.multipliedBy(3))).run().submit("l", "big");
    it.after(minutes(10)).pass();
    assertThat(it.core.hold(it.id("big")).orElseThrow().waitsFor())
        .containsExactly(it.attemptId("slow"));
    it.now = it.core.hold(it.id("big")).orElseThrow().expectedStart().orElseThrow();
    it.pass();
    for (int i = 0; i < 5 && holdsFor(it, "slow"); i++) {
      it.now = it.wakeAt.orElseThrow();
      it.pass();
    }
    assertThat(holdsFor(it, "m0")).isTrue();
  }

  /// All that it waits for should have ended, one attempt after the other. No other place is free
  /// sooner.
  @Test
  void aHoldStaysWhileTheJobsInItsWayAreOverdue() {
    Driver it = blocked().after(minutes(10)).pass();
    Hold hold = it.core.hold(it.id("big")).orElseThrow();
    it.after(HOUR.multipliedBy(2)).forget().pass();
    assertThat(it.effects).isEmpty();
    assertThat(it.core.hold(it.id("big"))).contains(hold);
    it.submit("s", "d").after(minutes(10)).pass();
    assertThat(it.core.hold(it.id("big"))).contains(hold);
  }

  private static boolean holdsFor(Driver it, String job) {
    return it.core.hold(it.id("big")).orElseThrow().waitsFor().contains(it.attemptId(job));
  }

  /// When a gang on two nodes ends, the blocked job fits on either. The nodes decide, and not which
  /// of them had a job first: a new leader learns of them in another order.
  @Test
  void theSameNodeIsHeldWhicheverHadAJobFirst() {
    TenantBuilder tenant =
        new TenantBuilder()
            .pool("pool")
            .profile("pair", "2", 2, 0, "pool")
            .profile("two", "2", "pool")
            .profile("four", "4", "pool")
            .policy("all", "0", "16")
            .queue("p", "all", "pair", 1)
            .queue("t", "all", "two", 1)
            .queue("f", "all", "four", 1);
    Driver it = new Driver(tenant).join(Driver.node("n", "pool", 4));
    it.submit(it.timed("a", "t", HOUR), it.timed("x", "t", HOUR)).run();
    it.join(Driver.node("m", "pool", 4)).submit(it.timed("b", "t", HOUR)).run();
    it.exit("x", 0).submit(it.timed("gang", "p", HOUR.multipliedBy(2))).run();
    assertThat(it.in(JobState.RUNNING)).containsExactly("a", "b", "gang");

    it.submit("f", "big").after(Duration.ofMinutes(10)).pass();
    assertThat(it.core.hold(it.id("big")).orElseThrow().place().workers())
        .singleElement()
        .satisfies(worker -> assertThat(worker.node().name()).isEqualTo("m"));
  }

  /// `a` would start on m and on n at the same time, and waits for its turn on m, which comes after
  /// that of "two". When "two" holds m, its turn on n comes first.
  @Test
  void aJobWhosePlaceAnotherHoldsHasItsTurnInItsOtherPool() {
    TenantBuilder tenant =
        new TenantBuilder()
            .pool("q", "two")
            .pool("r", "one")
            .pool("p", "one")
            .profile("one", "1", "q", "p")
            .profile("two", "2", "q", "r", "p")
            .changeProfile("one", p -> p.with().holdAfter(Duration.ZERO).build())
            .changeProfile("two", p -> p.with().holdAfter(Duration.ZERO).build())
            .policy("dev", "9", "9")
            .policy("ops", "9", "9")
            .queue("d1", "dev", "one", 1)
            .queue("d2", "dev", "two", 1)
            .queue("o2", "ops", "two", 1);
    Driver it = new Driver(tenant);
    it.join(Driver.node("m", "q", 2), Driver.node("k", "r", 2), Driver.node("n", "p", 2));
    it.submit(it.timed("x", "d2", HOUR), it.timed("y", "d2", HOUR), it.timed("z", "d2", HOUR));
    it.run().submit("d2", "b").submit("o2", "c", "d");
    it.decide(
        new Input.WorkerExited(it.attemptId("y"), 0, 0),
        new Input.JobSubmitted(it.spec("a", "d1")));
    assertThat(it.place("c")).isEqualTo("k:0,1");
    assertThat(it.reason("d").code()).isEqualTo("HOLDING");
    assertThat(it.core.hold(it.id("a")).orElseThrow().waitsFor())
        .containsExactly(it.attemptId("z"));
  }
}
