package io.headgate.scheduler.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.core.node.Node;
import io.headgate.scheduler.core.node.NodeStatus;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/// The decisions of a new leader while some nodes have not reported to it.
class TakeoverTest {
  private static TenantBuilder tenant() {
    return new TenantBuilder()
        .pool("pool", "gang", "two", "one")
        .pool("other")
        .profile("one", "1", "pool", "other")
        .profile("two", "2", "pool")
        .profile("gang", "2", 2, 1000, "pool")
        .policy("first", "4", "4")
        .policy("second", "0", "8")
        .queue("f", "first", "one", 1)
        .queue("f2", "first", "two", 1)
        .queue("fg", "first", "gang", 1)
        .queue("s", "second", "one", 2)
        .queue("s2", "second", "two", 2);
  }

  private static Node awaited(String name, int gpus) {
    return Driver.node(name, "pool", gpus).withStatus(NodeStatus.AWAITED);
  }

  private static Node ready(String name, int gpus) {
    return Driver.node(name, "pool", gpus);
  }

  private static Node gone(String name, int gpus) {
    return Driver.node(name, "pool", gpus).withStatus(NodeStatus.SUSPECT);
  }

  @Test
  void startsAtOnceOnNodesThatHaveReportedAndOnNoOther() {
    Driver it = new Driver(tenant()).join(awaited("a", 1), awaited("b", 1)).submit("s", "x", "y");
    assertThat(it.in(JobState.WAITING)).containsExactly("x", "y");
    it.join(ready("b", 1));
    assertThat(it.place("x")).isEqualTo("b:0");
    assertThat(it.state("y")).isEqualTo(JobState.WAITING);
    it.join(ready("a", 1));
    assertThat(it.place("y")).isEqualTo("a:0");
  }

  @Test
  void preemptsNoJobWhileANodeThatMayHaveRoomIsAwaited() {
    Driver it = new Driver(tenant()).join(ready("a", 1)).submit("s", "x").run();
    it.join(awaited("b", 1)).submit("f", "y");
    assertThat(it.stopped()).isEmpty();
    it.join(ready("b", 1));
    assertThat(it.place("y")).isEqualTo("b:0");
    assertThat(it.stopped()).isEmpty();
  }

  @Test
  void preemptsOnceNoNodeIsAwaited() {
    Driver it = new Driver(tenant()).join(ready("a", 1)).submit("s", "x").run();
    it.join(awaited("b", 1)).submit("f", "y").forget();
    it.join(gone("b", 1));
    assertThat(it.stopped()).containsExactly("x");
  }

  /// It would be preempted a moment later.
  @Test
  void otherJobsLeaveTheRoomForWhichAJobWouldPreempt() {
    Driver it = new Driver(tenant()).join(ready("a", 2)).submit("s", "x").run();
    it.join(awaited("b", 0)).submit("f2", "y").submit("s", "z");
    assertThat(it.stopped()).isEmpty();
    assertThat(it.state("z")).isEqualTo(JobState.WAITING);
    it.join(gone("b", 0));
    assertThat(it.stopped()).containsExactly("x");
    assertThat(it.state("z")).isEqualTo(JobState.WAITING);
  }

  /// The other policy is not above its reservation, so none of its jobs may go, whatever the
  /// awaited node reports.
  @Test
  void noRoomIsLeftToAJobThatWouldFindNoVictims() {
    Driver it =
        new Driver(
            new TenantBuilder()
                .pool("pool", "two", "one")
                .profile("two", "2", "pool")
                .profile("one", "1", "pool")
                .policy("first", "2", "2")
                .policy("second", "2", "8")
                .queue("large", "first", "two", 1)
                .queue("small", "second", "one", 1));
    it.join(ready("a", 1)).submit("small", "x").join(ready("b", 1)).submit("small", "y").run();
    it.join(ready("a", 2), awaited("b", 1)).submit("large", "z").submit("small", "w");
    assertThat(it.place("w")).isEqualTo("a:1");
    it.join(ready("b", 1));
    assertThat(it.stopped()).isEmpty();
    assertThat(it.state("z")).isEqualTo(JobState.WAITING);
  }

  @Test
  void whatABetterRankedGangNeedsIsLeftToIt() {
    Driver it = new Driver(tenant()).join(ready("a", 2), awaited("b", 2));
    it.submit("fg", "gang").submit("s", "small");
    assertThat(it.in(JobState.WAITING)).containsExactly("gang", "small");
    it.join(ready("b", 2));
    assertThat(it.place("gang")).isEqualTo("a:0,1 b:0,1");
  }

  @Test
  void whatABetterRankedGangWouldHaveNeededIsGivenAwayWhenItsNodeStaysAway() {
    Driver it = new Driver(tenant()).join(ready("a", 2), awaited("b", 2));
    it.submit("fg", "gang").submit("s", "small").join(gone("b", 2));
    assertThat(it.state("gang")).isEqualTo(JobState.WAITING);
    assertThat(it.place("small")).isEqualTo("a:0");
  }

  @Test
  void theLimitIsLeftToTheFirstJob() {
    Driver it =
        new Driver(
            new TenantBuilder()
                .pool("pool", "two", "one")
                .profile("two", "2", "pool")
                .profile("one", "1", "pool")
                .policy("p", "2", "2")
                .queue("large", "p", "two", 1)
                .queue("small", "p", "one", 2));
    it.join(ready("a", 1), awaited("b", 2)).submit("large", "x").submit("small", "y");
    assertThat(it.in(JobState.WAITING)).containsExactly("x", "y");
    it.join(ready("b", 2));
    assertThat(it.place("x")).isEqualTo("b:0,1");
    assertThat(it.state("y")).isEqualTo(JobState.WAITING);
  }

  @Test
  void theFirstJobKeepsNothingThatItDoesNotNeed() {
    Driver it = new Driver(tenant()).join(ready("a", 1), awaited("b", 2));
    it.submit("f2", "x").submit("s", "y", "z");
    assertThat(it.state("x")).isEqualTo(JobState.WAITING);
    assertThat(it.place("y")).isEqualTo("a:0");
    assertThat(it.state("z")).isEqualTo(JobState.WAITING);
    it.join(ready("b", 2));
    assertThat(it.place("x")).isEqualTo("b:0,1");
  }

  /// O6: what can satisfy it now; the node may be gone for good.
  @Test
  void aJobTakesAnotherPoolRatherThanWaitForANode() {
    Driver it = new Driver(tenant()).join(awaited("a", 1), Driver.node("o", "other", 1));
    assertThat(it.submit("f", "x").place("x")).isEqualTo("o:0");
  }

  @Test
  void aHoldForVictimsWaitsForItsNode() {
    Driver it = new Driver(tenant()).join(ready("a", 1)).submit("s", "x").run().submit("f", "y");
    assertThat(it.stopped()).containsExactly("x");
    it.join(awaited("a", 1)).forget();
    it.stopAll();
    assertThat(it.effects(Effect.HoldReleased.class)).isEmpty();
    assertThat(it.in(JobState.WAITING)).contains("x", "y");
    it.join(ready("a", 1));
    assertThat(it.place("y")).isEqualTo("a:0");
  }

  @Test
  void aHoldOfABlockedJobWaitsForItsNode() {
    Driver it = new Driver(tenant()).join(ready("a", 2));
    it.submit(it.timed("x", "s", Duration.ofHours(1))).run();
    it.submit("s2", "large").after(Duration.ofMinutes(10)).pass();
    assertThat(it.core.hold(it.id("large"))).isPresent();
    it.forget().join(awaited("a", 2));
    it.submit(it.timed("short", "s", Duration.ofMinutes(1)));
    it.core = it.core.copy();
    it.pass();
    assertThat(it.effects(Effect.HoldReleased.class)).isEmpty();
    assertThat(it.in(JobState.WAITING)).containsExactly("large", "short");
    it.join(ready("a", 2));
    assertThat(it.state("short")).isEqualTo(JobState.ASSIGNED);
    it.exit("x", 0).exit("short", 0);
    assertThat(it.place("large")).isEqualTo("a:0,1");
  }

  @Test
  void decidesTheSameAgainAndTellsNothing() {
    Driver it = new Driver(tenant()).join(ready("a", 2), awaited("b", 2));
    it.submit("fg", "gang").submit("s", "small").forget();
    it.pass().pass();
    assertThat(it.effects).isEmpty();
  }

  @Test
  void keepsNoMoreForJobsThanItCanCount() {
    TenantBuilder tenant =
        new TenantBuilder()
            .pool("pool")
            .profile("part", "1/100", "pool")
            .policy("p", "100", "100")
            .queue("q", "p", "part", 1);
    Driver it = new Driver(tenant).join(awaited("a", 16));
    String[] names = new String[Promises.MAX + 10];
    for (int i = 0; i < names.length; i++) {
      names[i] = "j" + i;
    }
    it.submit("q", names).pass();
    assertThat(it.in(JobState.WAITING)).hasSize(names.length);
    it.join(ready("a", 16));
    assertThat(it.in(JobState.WAITING)).isEmpty();
  }
}
