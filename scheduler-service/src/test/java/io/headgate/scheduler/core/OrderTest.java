package io.headgate.scheduler.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.scheduler.core.job.JobState;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// Rule O1-O6: which job is first, and where it goes.
class OrderTest {
  private static TenantBuilder twoTeams() {
    return new TenantBuilder()
        .pool("pool")
        .profile("one", "1", "pool")
        .policy("a", "0", "100")
        .policy("b", "0", "100")
        .queue("qa", "a", "one", 1)
        .queue("qb", "b", "one", 1);
  }

  private static Driver full(TenantBuilder tenant) {
    return new Driver(tenant);
  }

  private static Driver open(Driver it, int gpus) {
    return it.join(Driver.node("n", "pool", gpus));
  }

  @Test
  void entitledJobsGoFirst() {
    Driver it = full(twoTeams().policy("b", "1", "100").queue("qb", "b", "one", 9));
    it.submit("qa", "a0", "a1").submit("qb", "b0", "b1");
    open(it, 2);
    assertThat(it.in(JobState.ASSIGNED)).containsExactly("a0", "b0");
  }

  @Test
  void thenThePoolsExecutionPriorityDecides() {
    Driver it =
        full(
            twoTeams()
                .pool("pool", "two", "one")
                .profile("two", "2", "pool")
                .queue("q2", "b", "two", 9));
    it.submit("qa", "a0", "a1", "a2").submit("q2", "b0");
    open(it, 3);
    assertThat(it.in(JobState.ASSIGNED)).containsExactly("a0", "b0");
  }

  @Test
  void profilesThatThePoolDoesNotNameShareTheLastPlace() {
    Driver it =
        full(
            new TenantBuilder()
                .pool("pool", "zeta")
                .profile("beta", "1", "pool")
                .profile("alpha", "1", "pool")
                .profile("zeta", "1", "pool")
                .policy("a", "0", "100")
                .queue("b", "a", "beta", 1)
                .queue("al", "a", "alpha", 1)
                .queue("z", "a", "zeta", 9));
    it.submit("b", "b").submit("al", "al").submit("z", "z");
    open(it, 1);
    assertThat(it.in(JobState.ASSIGNED)).containsExactly("z");
    it.run().exit("z", 0);
    assertThat(it.in(JobState.ASSIGNED)).as("submitted first").containsExactly("b");
  }

  @Test
  void thenTheQueuesRankDecides() {
    Driver it = full(twoTeams().queue("qa", "a", "one", 2));
    it.submit("qa", "a0", "a1").submit("qb", "b0", "b1");
    open(it, 2);
    assertThat(it.in(JobState.ASSIGNED)).containsExactly("b0", "b1");
  }

  @Test
  void equalRanksShareByWeight() {
    Driver it = full(twoTeams().weight("b", 3));
    it.submit("qa", "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7");
    it.submit("qb", "b0", "b1", "b2", "b3", "b4", "b5", "b6", "b7");
    open(it, 8);
    assertThat(it.in(JobState.ASSIGNED))
        .containsExactly("a0", "a1", "b0", "b1", "b2", "b3", "b4", "b5");
  }

  @Test
  void onlyOverReservationUsageIsShared() {
    Driver it = full(twoTeams().policy("a", "4", "100"));
    it.submit("qa", "a0", "a1", "a2", "a3", "a4", "a5", "a6");
    it.submit("qb", "b0", "b1", "b2", "b3");
    open(it, 8);
    assertThat(it.in(JobState.ASSIGNED))
        .containsExactly("a0", "a1", "a2", "a3", "a4", "a5", "b0", "b1");
  }

  @Test
  void insideAQueuePriorityThenSubmissionDecides() {
    Driver it = full(twoTeams());
    it.submit(
        it.spec("low", "qa", "u", -1, Optional.empty()),
        it.spec("first", "qa", "u", 0, Optional.empty()),
        it.spec("second", "qa", "u", 0, Optional.empty()),
        it.spec("high", "qa", "u", 5, Optional.empty()));
    assertThat(it.core.waiting(TenantBuilder.queueId("qa"), 10).stream().map(it::name))
        .containsExactly("high", "first", "second", "low");
    open(it, 1);
    assertThat(it.in(JobState.ASSIGNED)).containsExactly("high");
  }

  @Test
  void aPreemptedJobKeepsItsPlaceAndARequeuedOneThatHadEndedDoesNot() {
    Driver it = open(full(twoTeams().policy("b", "1", "100")), 2);
    it.submit("qa", "a0", "a1", "a2").run().exit("a0", 1).run().submit("qb", "b0").settle();
    it.requeue("a0");
    assertThat(it.core.waiting(TenantBuilder.queueId("qa"), 10).stream().map(it::name))
        .containsExactly("a2", "a0");
    assertThat(it.record("a2").lastPreemption().orElseThrow().by()).isEqualTo(it.id("b0"));
    assertThat(it.record("a2").sequence()).isLessThan(it.record("a0").sequence());
  }

  @Test
  void aJobTakesTheFirstPoolOfItsRouteThatCanTakeItNow() {
    TenantBuilder tenant =
        new TenantBuilder()
            .pool("onprem")
            .pool("cloud")
            .profile("half", "1/2", "onprem", "cloud")
            .policy("team", "100", "100")
            .queue("q", "team", "half", 1);
    Driver it =
        new Driver(tenant).join(Driver.node("c", "cloud", 1), Driver.node("o", "onprem", 1));
    it.submit("q", "a", "b", "c", "d");
    assertThat(List.of(it.pool("a"), it.pool("b"), it.pool("c"), it.pool("d")))
        .containsExactly("onprem", "onprem", "cloud", "cloud");
  }

  @Test
  void aDedicatedPoolTakesNoJobsOfOtherPolicies() {
    Driver it = open(full(twoTeams().dedicated("pool", "a")), 2);
    it.submit("qb", "b0").submit("qa", "a0");
    assertThat(it.denial().toString()).startsWith("NoPool");
    assertThat(it.in(JobState.ASSIGNED)).containsExactly("a0");
  }

  /// Positions change when the first pool of a route is full: the job that falls through to the
  /// second is measured there.
  @Test
  void isMeasuredInThePoolThatItWouldTake() {
    TenantBuilder tenant =
        new TenantBuilder()
            .pool("first")
            .pool("second", "roams", "stays")
            .profile("roams", "1", "first", "second")
            .profile("stays", "1", "second")
            .policy("team", "0", "100")
            .queue("r", "team", "roams", 1)
            .queue("s", "team", "stays", 1);
    Driver it = new Driver(tenant).submit("s", "s0", "s1").submit("r", "r0", "r1", "r2");
    it.join(Driver.node("f", "first", 1), Driver.node("t", "second", 2));
    assertThat(it.in(JobState.ASSIGNED)).containsExactly("r0", "r1", "r2");
  }

  /// In the pool "second" jobs of three GPUs come before those of two. In the pool "first", which
  /// jobs of two GPUs would take first, they have the best place of all; but there none fits.
  private static TenantBuilder twoAndThree() {
    return new TenantBuilder()
        .pool("first")
        .pool("second", "three", "two", "four")
        .profile("three", "3", "second")
        .profile("two", "2", "first", "second")
        .profile("four", "4", "second")
        .policy("a", "20", "20")
        .policy("b", "20", "20")
        .policy("guest", "0", "4")
        .queue("a3", "a", "three", 2)
        .queue("b2", "b", "two", 1)
        .queue("g4", "guest", "four", 1);
  }

  private static Driver withBothPools(TenantBuilder tenant) {
    Driver it =
        new Driver(tenant).join(Driver.node("m", "first", 2), Driver.node("n", "second", 4));
    return it.submit(it.timed("fill", "b2", Duration.ofHours(2)));
  }

  @Test
  void whatACancelFreesGoesByTheOrderOfItsPool() {
    Driver it = withBothPools(twoAndThree()).submit("a3", "run").run();
    it.submit("a3", "three").submit("b2", "two").cancel("run");
    assertThat(it.core.hold(it.id("two"))).isEmpty();
    it.stopAll();
    assertThat(it.place("three")).startsWith("n:");
    assertThat(it.state("two")).isEqualTo(JobState.WAITING);
  }

  @Test
  void whatVictimsFreeGoesByTheOrderOfTheirPool() {
    Driver it = withBothPools(twoAndThree()).submit("g4", "victim").run();
    it.decide(
        new Input.JobSubmitted(it.spec("two", "b2")),
        new Input.JobSubmitted(it.spec("three", "a3")));
    assertThat(it.stopped()).containsExactly("victim");
    assertThat(it.core.hold(it.id("three"))).isPresent();
    assertThat(it.core.hold(it.id("two"))).isEmpty();
  }

  @Test
  void aBlockedJobHoldsByTheOrderOfThePoolWhereItHolds() {
    Driver it = withBothPools(twoAndThree().policy("guest", "4", "4").nonPreemptible("guest"));
    it.submit(it.timed("fixed", "g4", Duration.ofHours(1))).run();
    it.submit("b2", "two").submit("a3", "three").after(Duration.ofMinutes(10)).pass();
    assertThat(it.core.hold(it.id("three")).orElseThrow().place().pool())
        .isEqualTo(TenantBuilder.poolId("second"));
    assertThat(it.core.hold(it.id("two")).orElseThrow().place().pool())
        .isEqualTo(TenantBuilder.poolId("first"));
  }

  /// A policy that has just lost a job uses less of its share than before.
  @Test
  void aVictimsPolicyIsLookedAtAnewInTheSameDecision() {
    Driver it =
        full(
            twoTeams()
                .pool("late")
                .profile("two", "2", "pool")
                .profile("other", "1", "late")
                .policy("owner", "1", "1")
                .queue("qo", "owner", "one", 1)
                .queue("a2", "a", "two", 1)
                .queue("oa", "a", "other", 1)
                .queue("ob", "b", "other", 1));
    it.join(Driver.node("n", "pool", 5)).submit("qa", "a0").submit("qb", "b0", "b1");
    it.submit("a2", "pair").run().submit("ob", "ofB").submit("oa", "ofA");
    // A has 3 and B has 2, until the owner takes two of A's.
    it.decide(
        new Input.JobSubmitted(it.spec("mine", "qo")),
        new Input.NodeChanged(Driver.node("m", "late", 1)));
    assertThat(it.stopped()).containsExactly("pair");
    assertThat(it.in(JobState.ASSIGNED)).containsExactly("ofA");
  }

  @Test
  void aVictimsTenantIsLookedAtAnewInTheSameDecision() {
    Driver it =
        new Driver(
            new TenantBuilder()
                .pool("pool")
                .profile("one", "1", "pool")
                .profile("two", "2", "pool")
                .policyOf("red", "red-a", "0", "9")
                .policyOf("red", "red-b", "0", "9")
                .policyOf("blue", "blue", "0", "9")
                .policyOf("green", "green", "2", "2")
                .queue("ra", "red-a", "one", 1)
                .queue("ra2", "red-a", "two", 1)
                .queue("rb", "red-b", "one", 1)
                .queue("b", "blue", "one", 1)
                .queue("g", "green", "two", 1)
                .share("green", "pool", "2", ""));
    it.join(Driver.node("n", "pool", 5)).submit("ra", "r0").submit("b", "b0", "b1");
    it.submit("ra2", "pair").run().submit("b", "ofBlue").submit("rb", "ofRed");
    it.decide(
        new Input.JobSubmitted(it.spec("mine", "g")),
        new Input.NodeChanged(Driver.node("m", "pool", 1)));
    assertThat(it.stopped()).containsExactly("pair");
    assertThat(it.in(JobState.ASSIGNED)).containsExactly("ofRed");
  }
}
