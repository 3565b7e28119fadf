package io.headgate.scheduler.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.scheduler.core.catalog.UserId;
import io.headgate.scheduler.core.job.HoldRelease;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.core.node.NodeStatus;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// O7 beside the other rules: whose hold it is, and what it keeps from whom, when others start,
/// preempt or leave in the same pass.
class BlockedHoldOrderTest {
  private static final Duration HOLD_AFTER = Duration.ofMinutes(10);

  private static Driver rests(Driver it) {
    it.forget();
    for (int i = 0; i < 5; i++) {
      it.pass();
    }
    assertThat(it.effects).isEmpty();
    return it;
  }

  /// One GPU each in "pool" and "other". Policies a and b are each entitled to one GPU; a's queue
  /// has the better rank. A job of another policy, not preemptible, runs on the GPU of "pool".
  private static Driver twoWaitForOne() {
    TenantBuilder tenant =
        new TenantBuilder()
            .pool("pool")
            .pool("other")
            .profile("one", "1", "pool")
            .profile("away", "1", "other")
            .policy("a", "1", "4")
            .policy("b", "1", "4")
            .policy("fixed", "1", "1")
            .nonPreemptible("fixed")
            .queue("a", "a", "one", 1)
            .queue("b", "b", "one", 2)
            .queue("a-away", "a", "away", 3)
            .queue("f", "fixed", "one", 1);
    Driver it = new Driver(tenant);
    it.join(Driver.node("n", "pool", 1), Driver.node("o", "other", 1));
    return it.submit(it.timed("f0", "f", Duration.ofHours(1)))
        .run()
        .submit("a", "a0")
        .submit("b", "b0");
  }

  @Test
  void aStartOfItsPolicyPassesTheHoldOnInTheSamePass() {
    Driver it = twoWaitForOne().after(HOLD_AFTER).pass();
    assertThat(it.core.hold(it.id("a0"))).isPresent();
    // The start of a1 uses up a's reservation: b0 is entitled and a0 is not.
    it.forget().submit("a-away", "a1");
    assertThat(it.state("a1")).isEqualTo(JobState.ASSIGNED);
    assertThat(it.core.hold(it.id("b0"))).isPresent();
    assertThat(it.core.hold(it.id("a0"))).isEmpty();
    assertThat(it.effects(Effect.HoldReleased.class))
        .containsExactly(new Effect.HoldReleased(it.id("a0"), HoldRelease.OUTRANKED));
    rests(it);
  }

  @Test
  void aboveItsLimitAJobHoldsNothing() {
    TenantBuilder tenant =
        new TenantBuilder()
            .pool("pool")
            .pool("other")
            .profile("two", "2", "pool", "other")
            .policy("team", "2", "3")
            .changePolicy("team", p -> p.with().exceedLimit(Set.of(new UserId("grace"))).build())
            .policy("fixed", "4", "4")
            .nonPreemptible("fixed")
            .queue("t", "team", "two", 2)
            .queue("f", "fixed", "two", 1);
    Driver it = new Driver(tenant);
    it.join(Driver.node("n", "pool", 2), Driver.node("o", "other", 2));
    it.submit(it.timed("f0", "f", Duration.ofHours(1)), it.timed("f1", "f", Duration.ofHours(1)));
    it.run().submit("t", "mine");
    it.submit(it.spec("granted", "t", "grace", 0, Optional.empty()));
    it.after(HOLD_AFTER).pass();
    // With the GPU held for "mine" the team is at 2 of 3: the grant is for idle capacity only.
    assertThat(it.core.hold(it.id("mine"))).isPresent();
    assertThat(it.core.hold(it.id("granted"))).isEmpty();
    rests(it);
  }

  /// Three GPUs: two fixed jobs, and one above its policy's reservation. "large" needs two and can
  /// take only one, so it holds; "small" preempts that one.
  private static Driver oneHoldsOneWaitsForVictims() {
    TenantBuilder tenant =
        new TenantBuilder()
            .pool("pool")
            .profile("two", "2", "pool")
            .profile("one", "1", "pool")
            .policy("large", "2", "2")
            .policy("small", "1", "1")
            .policy("fixed", "2", "2")
            .nonPreemptible("fixed")
            .policy("over", "0", "1")
            .queue("l", "large", "two", 1)
            .queue("s", "small", "one", 2)
            .queue("f", "fixed", "one", 1)
            .queue("v", "over", "one", 3);
    Driver it = new Driver(tenant).join(Driver.node("n", "pool", 3));
    it.submit(it.timed("f0", "f", Duration.ofHours(1)), it.timed("f1", "f", Duration.ofHours(1)));
    it.submit("v", "victim").run().submit("l", "large");
    it.after(HOLD_AFTER).pass().submit("s", "small");
    assertThat(it.stopped()).containsExactly("victim");
    assertThat(it.core.hold(it.id("large"))).isPresent();
    return it;
  }

  @Test
  void whoWaitsForVictimsDoesNotTakeWhatABetterRankedOneHolds() {
    Driver it = oneHoldsOneWaitsForVictims().exit("f0", 0);
    assertThat(it.state("small")).isEqualTo(JobState.WAITING);
    it.exit("f1", 0);
    assertThat(it.place("large")).isEqualTo("n:0,1");
    it.stopAll();
    assertThat(it.place("small")).isEqualTo("n:2");
  }

  @Test
  void whoWaitsForVictimsStartsWhereAHoldEnds() {
    Driver it = oneHoldsOneWaitsForVictims().exit("f0", 0).cancel("large");
    assertThat(it.place("small")).isEqualTo("n:0");
    rests(it);
  }

  @Test
  void theNextOfAQueueIsNotStoppedByAHoldThatItComesBefore() {
    // Execution priority is one pool's: "small" comes after "large" where it goes first, and before
    // it in the other pool.
    TenantBuilder tenant =
        new TenantBuilder()
            .pool("first", "there", "large", "small")
            .pool("pool", "small", "large")
            .profile("large", "3", "first", "pool")
            .profile("small", "1", "first", "pool")
            .policy("a", "3", "3")
            .policy("b", "9", "9")
            .policy("fixed", "1", "1")
            .nonPreemptible("fixed")
            .profile("there", "1", "pool")
            .queue("l", "a", "large", 1)
            .queue("s", "b", "small", 1)
            .queue("f", "fixed", "there", 1);
    Driver it = new Driver(tenant);
    it.join(Driver.node("o", "first", 1), Driver.node("n", "pool", 3));
    it.submit(it.timed("f0", "f", Duration.ofHours(1)))
        .submit(it.timed("s0", "s", Duration.ofHours(1)));
    it.run().submit("l", "large").after(HOLD_AFTER).pass();
    assertThat(it.core.hold(it.id("large"))).isPresent();
    // Where s1 fits it comes after "large"; it takes that place. Then s2 fits on the other machine,
    // and there it comes before.
    it.decide(
        new Input.WorkerExited(it.attemptId("s0"), 0, 0),
        new Input.JobSubmitted(it.spec("s1", "s")),
        new Input.JobSubmitted(it.spec("s2", "s")));
    assertThat(it.place("s1")).isEqualTo("o:0");
    assertThat(it.place("s2")).startsWith("n:");
    rests(it);
  }

  @Test
  void aJobThatPassesAHoldLeavesItToItsHolder() {
    // "small" has rank 1, but it comes after "large" in the pool that both wait for, also when it
    // no
    // longer fits there.
    TenantBuilder tenant =
        new TenantBuilder()
            .pool("none")
            .pool("pool", "large", "small")
            .profile("large", "2", "pool")
            .profile("small", "1", "none", "pool")
            .policy("a", "2", "2")
            .policy("b", "2", "2")
            .policy("c", "2", "2")
            .policy("fixed", "1", "1")
            .nonPreemptible("fixed")
            .profile("there", "1", "pool")
            .queue("l", "a", "large", 2)
            .queue("s", "b", "small", 1)
            .queue("t", "c", "small", 3)
            .queue("f", "fixed", "there", 1);
    Driver it = new Driver(tenant).join(Driver.node("n", "pool", 2));
    it.submit(it.timed("f0", "f", Duration.ofHours(1))).run();
    it.submit("l", "large").after(HOLD_AFTER).pass().submit("s", "small").after(HOLD_AFTER).pass();
    assertThat(it.core.hold(it.id("large"))).isPresent();
    it.submit(it.timed("short", "t", Duration.ofMinutes(5)));
    assertThat(it.place("short")).startsWith("n:");
    assertThat(it.core.hold(it.id("large"))).isPresent();
    assertThat(it.core.hold(it.id("small"))).isEmpty();
    rests(it);
  }

  /// Half of the only GPU of "n" is stopping, but "a0" holds it; all of "m" is in use. The next
  /// start uses up a's reservation, so "b0" now holds on "m", and the stopping half is for "x".
  @Test
  void whoSearchedInVainSearchesAgainWhenAnotherHolds() {
    TenantBuilder tenant =
        new TenantBuilder()
            .pool("pool", "heavy", "one", "half")
            .pool("other")
            .profile("heavy", "1", 1, 5000, "pool")
            .profile("one", "1", "pool")
            .profile("half", "1/2", "pool")
            .profile("away", "1", "other")
            .policy("a", "1", "4")
            .policy("b", "1", "4")
            .policy("x", "1", "4")
            .policy("v", "1", "4")
            .policy("fixed", "2", "2")
            .nonPreemptible("fixed")
            .queue("a", "a", "heavy", 1)
            .queue("a-away", "a", "away", 4)
            .queue("b", "b", "one", 2)
            .queue("x", "x", "half", 3)
            .queue("v", "v", "half", 3)
            .queue("f-half", "fixed", "half", 1)
            .queue("f-one", "fixed", "one", 1);
    Driver it = new Driver(tenant);
    it.join(Driver.node("n", "pool", 1, 8000, NodeStatus.READY))
        .submit(it.timed("f0", "f-half", Duration.ofHours(2)))
        .submit(it.timed("v0", "v", Duration.ofHours(1)))
        .join(Driver.node("m", "pool", 1, 1000, NodeStatus.READY))
        .submit(it.timed("f1", "f-one", Duration.ofHours(1)))
        .join(Driver.node("o", "other", 1))
        .run();
    it.submit("a", "a0").submit("b", "b0").after(HOLD_AFTER).pass();
    assertThat(it.core.hold(it.id("a0"))).isPresent();
    it.cancel("v0").submit("x", "x0");
    assertThat(it.core.hold(it.id("x0"))).isEmpty();
    it.submit("a-away", "a1");
    assertThat(it.state("a1")).isEqualTo(JobState.ASSIGNED);
    assertThat(it.core.hold(it.id("b0"))).isPresent();
    assertThat(it.core.hold(it.id("x0"))).isPresent();
    rests(it);
    it.stopAll();
    assertThat(it.place("x0")).isEqualTo("n:0(1/2)");
  }

  /// A ceiling that shrank below the running jobs is no reason to look for another place in every
  /// pass. "mine" does not wait for a job that starts later, here one without a GPU.
  @Test
  void whatIsHeldUnderACeilingThatShrankStaysWhatItWas() {
    TenantBuilder tenant =
        new TenantBuilder()
            .pool("pool", "one", "none")
            .profile("one", "1", "pool")
            .profile("none", "0", "pool")
            .policy("own", "1", "1")
            .policy("other", "0", "0")
            .policy("fixed", "2", "2")
            .nonPreemptible("fixed")
            .queue("o", "own", "one", 1)
            .queue("f", "fixed", "one", 1)
            .queue("z", "other", "none", 1);
    Driver it = new Driver(tenant).join(Driver.node("n", "pool", 2));
    it.submit(it.timed("f0", "f", Duration.ofHours(1)), it.timed("f1", "f", Duration.ofHours(2)));
    it.run().submit("o", "mine").after(HOLD_AFTER).pass();
    assertThat(it.core.hold(it.id("mine"))).isPresent();
    it.decide(
        new Input.CatalogChanged(tenant.poolCapacity("pool", "1").build()),
        new Input.JobSubmitted(it.timed("z0", "z", Duration.ofMinutes(5))));
    assertThat(it.state("z0")).isEqualTo(JobState.ASSIGNED);
    rests(it);
  }
}
