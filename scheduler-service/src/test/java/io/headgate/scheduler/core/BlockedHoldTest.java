package io.headgate.scheduler.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.scheduler.core.explain.Reason;
import io.headgate.scheduler.core.job.HoldRelease;
import io.headgate.scheduler.core.job.JobState;
import java.time.Duration;
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
    it.submit(it.spec("fixed", "d", "ada", 0, Optional.of(false))).submit("d", "filler").run();
    it.join(Driver.node("n", "pool", 1)).submit("d", "victim").run().exit("filler", 0);
    it.submit("o2", "blocked").submit("o", "mine");
    assertThat(it.reason("blocked").code()).isEqualTo("HOLDING");
    assertThat(it.stopped()).containsExactly("victim");
    it.join(Driver.node("k", "other", 2));
    assertThat(it.place("blocked")).isEqualTo("k:0,1");
    assertThat(it.place("mine")).isEqualTo("m:1");
  }
}
