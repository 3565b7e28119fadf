package io.headgate.scheduler.core;

import static io.headgate.scheduler.core.TenantBuilder.poolId;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.scheduler.core.explain.Reason;
import io.headgate.scheduler.core.job.AttemptEnding;
import io.headgate.scheduler.core.job.HoldRelease;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.core.job.PreemptionGrounds;
import io.headgate.scheduler.core.job.PreemptionRule;
import io.headgate.scheduler.core.job.StopCause;
import io.headgate.scheduler.core.job.StopOutcome;
import io.headgate.scheduler.core.job.Weighing;
import io.headgate.scheduler.core.node.NodeStatus;
import io.headgate.type.GpuQuantity;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/// Rule P1-P6 and P8: which jobs must go, and which GPUs are held.
class PreemptionTest {
  /// `owner` has the reservation; `guest` and `other` have none.
  private static TenantBuilder tenant() {
    return new TenantBuilder()
        .pool("pool")
        .profile("one", "1", "pool")
        .profile("two", "2", "pool")
        .policy("owner", "4", "100")
        .policy("guest", "0", "100")
        .policy("other", "0", "100")
        .queue("o1", "owner", "one", 1)
        .queue("o2", "owner", "two", 1)
        .queue("g1", "guest", "one", 2)
        .queue("g2", "guest", "two", 2)
        .queue("x1", "other", "one", 2);
  }

  private static Driver on(TenantBuilder tenant, int gpus) {
    return new Driver(tenant).join(Driver.node("n", "pool", gpus));
  }

  @Test
  void tellsTheVictimByWhomAndUnderWhichRule() {
    Driver it = on(tenant(), 1).submit("g1", "g").run().submit("o1", "o");
    assertThat(it.effects(Effect.StopAttempt.class))
        .singleElement()
        .satisfies(stop -> {
          assertThat(stop.order().cause())
              .isEqualTo(
                  new StopCause.Preempted(
                      it.id("o"),
                      PreemptionRule.P1,
                      new PreemptionGrounds(
                              share("guest", "1", "0"), share("owner", "0", "4"), GpuQuantity.ONE)
                          .weighed(weighed(1, 1))));
          assertThat(stop.order().outcome()).isEqualTo(StopOutcome.REQUEUE);
        });
    assertThat(it.record("g").lastPreemption().orElseThrow().by()).isEqualTo(it.id("o"));
  }

  /// The weighing of a victim with one GPU that has just started.
  private static Weighing weighed(int considered, int victims) {
    return new Weighing(
        Weighing.Way.ORDER,
        considered,
        victims,
        GpuQuantity.ONE,
        Duration.ZERO,
        OptionalInt.empty());
  }

  private static PreemptionGrounds.Share share(String policy, String usage, String reservation) {
    return new PreemptionGrounds.Share(
        TenantBuilder.policyId(policy), GpuQuantity.parse(usage), GpuQuantity.parse(reservation));
  }

  @Test
  void tellsWhatThePoliciesHadJustBeforeEachRemoval() {
    Driver it = on(tenant(), 4).submit("g1", "a", "b", "c", "d").run().forget().submit("o2", "o");
    assertThat(it.effects(Effect.StopAttempt.class))
        .extracting(stop -> stop.order().cause())
        .extracting(cause -> ((StopCause.Preempted) cause).grounds().victim().usage().toString())
        .containsExactly("4", "3");
    assertThat(it.record("d").lastPreemption().orElseThrow().grounds())
        .isEqualTo(
            new PreemptionGrounds(
                    share("guest", "4", "0"), share("owner", "0", "4"), GpuQuantity.parse("2"))
                .weighed(weighed(2, 2)));
  }

  @Test
  void onlyEntitledJobsPreempt() {
    Driver it = on(tenant(), 6).submit("o1", "a", "b", "c").submit("g1", "x", "y", "z").run();
    it.forget().submit("o2", "two");
    assertThat(it.stopped()).as("3 + 2 > 4").isEmpty();
    it.submit("o1", "one");
    assertThat(it.stopped()).as("3 + 1 <= 4").containsExactly("z");
  }

  @Test
  void noPolicyWithinItsReservationLosesAJob() {
    Driver it = on(tenant().policy("guest", "2", "100"), 2).submit("g1", "x", "y").run();
    it.forget().submit("o1", "a");
    assertThat(it.stopped()).isEmpty();
    assertThat(it.reason("a").code()).isEqualTo("CAPACITY");
  }

  @Test
  void aVictimsPolicyMayEndBelowUnlessReclaimIsStrict() {
    TenantBuilder tenant = tenant().policy("guest", "3", "100");
    Driver it = on(tenant, 4).submit("g2", "x", "y").run().forget().submit("o1", "a");
    assertThat(it.stopped()).as("4 > 3").containsExactly("y");
    it = on(tenant.strict("one"), 4).submit("g2", "x", "y").run().forget().submit("o1", "a");
    assertThat(it.stopped()).as("4 - 2 < 3").isEmpty();
  }

  @Test
  void protectsJobsUntilTheirMinimumRunTime() {
    TenantBuilder tenant = tenant().minRuntime("guest", Duration.ofMinutes(10));
    Driver it = on(tenant, 1).submit("g1", "x").run().after(Duration.ofMinutes(4));
    it.forget().submit("o1", "a");
    assertThat(it.stopped()).isEmpty();
    assertThat(it.wakeAt).contains(it.now.plus(Duration.ofMinutes(6)));
    it.after(Duration.ofMinutes(6)).pass();
    assertThat(it.stopped()).containsExactly("x");
    assertThat(it.wakeAt).isEmpty();
  }

  @Test
  void neverTakesNonPreemptibleJobs() {
    Driver it = on(tenant().policy("guest", "1", "100"), 2);
    it.submit(
        it.spec("fixed", "g1", "u", 0, Optional.of(false)),
        it.spec("loose", "g1", "u", 0, Optional.empty()));
    it.run().submit("o1", "a");
    assertThat(it.stopped()).containsExactly("loose");
  }

  @Test
  void takesTheWorstExecutionPriorityFirst() {
    Driver it = on(tenant().pool("pool", "one", "two"), 4);
    it.submit("g2", "two").submit("g1", "one", "uno").run().submit("o1", "a");
    assertThat(it.stopped()).containsExactly("two");
  }

  @Test
  void thenTheWorstRank() {
    Driver it = on(tenant().queue("g1", "guest", "one", 3), 2);
    it.submit("g1", "g").submit("x1", "x").run().submit("o1", "a");
    assertThat(it.stopped()).containsExactly("g");
  }

  @Test
  void thenTheLargestShareThenTheLastStarted() {
    Driver it = on(tenant(), 5).submit("g1", "g0", "g1", "g2").submit("x1", "x0", "x1").run();
    it.submit("o1", "a");
    assertThat(it.stopped()).as("guest has 3, other 2").containsExactly("g2");
    it.submit("o1", "b");
    assertThat(it.stopped()).as("2 each: the last started").containsExactly("g2", "x1");
    it = on(tenant().weight("guest", 2), 5);
    it.submit("g1", "g0", "g1", "g2").submit("x1", "x0", "x1").run().submit("o1", "a");
    assertThat(it.stopped()).as("3/2 < 2/1").containsExactly("x1");
  }

  @Test
  void takesTheShortestPrefixEvenIfALaterOneAloneWouldDo() {
    Driver it = new Driver(tenant()).join(Driver.node("a", "pool", 2), Driver.node("b", "pool", 2));
    // In the order of their start: a, a, b, b. The prefix for two GPUs on one node is the last two.
    it.submit("g1", "g0", "g1", "g2", "g3").run().exit("g3", 0).submit("g1", "g4").run();
    assertThat(it.place("g4")).isEqualTo("b:1");
    it.exit("g2", 0).submit("g1", "g5").run().exit("g0", 0).forget();
    // a:0 is idle, so g1 alone would do; but it comes after g5 and g4, which together do.
    it.submit("o2", "o");
    assertThat(it.stopped()).containsExactly("g5", "g4");
  }

  @Test
  void choosesTheFewestVictimsOfThePrefix() {
    TenantBuilder tenant = tenant().profile("half", "1/2", "pool").pool("pool", "half");
    Driver it = on(tenant.queue("gh", "guest", "half", 2), 2);
    it.submit("g1", "whole").submit("gh", "h0", "h1").run().submit("o1", "a");
    assertThat(it.stopped()).as("h1, h0 would be two").containsExactly("whole");
  }

  @Test
  void thenTheLeastLostWork() {
    Driver it = on(tenant().profile("half", "1/2", "pool").queue("gh", "guest", "half", 2), 2);
    it.submit("gh", "h0", "h1", "h2", "h3").run().after(Duration.ofHours(1));
    it.decide(
        new Input.AttemptCheckpointed(it.attemptId("h0"), it.now),
        new Input.AttemptCheckpointed(it.attemptId("h1"), it.now));
    it.submit("o1", "a");
    assertThat(it.stopped()).as("h3 and h2 are the prefix").containsExactly("h3", "h2");
    it.forget().submit("o1", "b");
    assertThat(it.stopped()).containsExactly("h1", "h0");
  }

  @Test
  void doesNotPreemptIfAnotherPoolCanTakeTheJobNow() {
    TenantBuilder tenant = tenant().pool("cloud").profile("one", "1", "pool", "cloud");
    Driver it = on(tenant, 1).submit("g1", "g").run().join(Driver.node("c", "cloud", 1));
    it.submit("o1", "a");
    assertThat(it.pool("a")).isEqualTo("cloud");
    it.submit("o1", "b");
    assertThat(it.stopped()).containsExactly("g");
  }

  @Test
  void waitsForWhatStopsAnywayRatherThanPreempt() {
    Driver it = on(tenant(), 2).submit("g1", "x", "y").run().cancel("x").forget();
    it.submit("o1", "a");
    assertThat(it.stopped()).isEmpty();
    assertThat(it.reason("a"))
        .isEqualTo(new Reason.WaitingForVictims(poolId("pool"), List.of(it.attemptId("x"))));
    it.submit("o1", "b");
    assertThat(it.stopped()).containsExactly("y");
  }

  @Test
  void cancelsVictimsWhosePolicySaysSo() {
    Driver it = on(tenant().cancels("guest"), 1).submit("g1", "x").run().submit("o1", "a");
    it.settle();
    assertThat(it.state("x")).isEqualTo(JobState.CANCELLED);
    assertThat(it.state("a")).isEqualTo(JobState.RUNNING);
  }

  @Test
  void aVictimThatEndsByItselfIsDone() {
    Driver it = on(tenant(), 1).submit("g1", "x").run().submit("o1", "a").exit("x", 0);
    assertThat(it.state("x")).isEqualTo(JobState.DONE);
    assertThat(it.effects(Effect.AttemptEnded.class).getLast().ending())
        .isEqualTo(new AttemptEnding.Exited(0));
    assertThat(it.state("a")).isEqualTo(JobState.ASSIGNED);
  }

  @Test
  void holdsTheFreedSlicesForTheNamedJob() {
    Driver it = on(tenant(), 3).submit("g2", "x").submit("x1", "y").run().forget();
    it.submit("o1", "a");
    assertThat(it.stopped()).as("guest has 2, other 1").containsExactly("x");
    assertThat(it.core.hold(it.id("a"))).isPresent();
    it.submit("x1", "z").stopAll();
    assertThat(it.state("a")).isEqualTo(JobState.ASSIGNED);
    assertThat(it.state("z"))
        .as("takes what the victim leaves beyond")
        .isEqualTo(JobState.ASSIGNED);
  }

  @Test
  void releasesTheHoldWhenItsJobGoesAway() {
    Driver it = on(tenant(), 1).submit("g1", "x").run().submit("o1", "a").forget().cancel("a");
    assertThat(it.effects(Effect.HoldReleased.class))
        .singleElement()
        .satisfies(released -> assertThat(released.cause()).isEqualTo(HoldRelease.JOB_GONE));
    it.stopAll();
    assertThat(it.state("x")).as("its place is free again").isEqualTo(JobState.ASSIGNED);
  }

  @Test
  void startsElsewhereWhenThatIsFreeEarlier() {
    Driver it = on(tenant(), 1).submit("g1", "x").run().submit("o1", "a").forget();
    it.join(Driver.node("m", "pool", 1));
    assertThat(it.place("a")).isEqualTo("m:0");
    assertThat(it.effects(Effect.HoldReleased.class).getFirst().cause())
        .isEqualTo(HoldRelease.NOT_NEEDED);
  }

  @Test
  void looksForAnotherPlaceWhenTheNodeOfTheHoldIsGone() {
    Driver it =
        new Driver(tenant())
            .join(Driver.node("a", "pool", 1), Driver.node("b", "pool", 1))
            .submit("g1", "x", "y")
            .run()
            .forget();
    it.submit("o1", "o");
    assertThat(it.stopped()).containsExactly("y");
    it.join(Driver.node("b", "pool", 1, 1000, NodeStatus.SUSPECT));
    assertThat(it.effects(Effect.HoldReleased.class).getFirst().cause())
        .isEqualTo(HoldRelease.NODE_GONE);
    assertThat(it.stopped()).containsExactly("y", "x");
  }

  @Test
  void givesUpAHoldThatTheConfigurationNoLongerAllows() {
    Driver it = on(tenant(), 1).submit("g1", "x").run().submit("o1", "a").forget();
    it.provision(tenant().policy("owner", "0", "0"));
    assertThat(it.effects(Effect.HoldReleased.class).getFirst().cause())
        .isEqualTo(HoldRelease.CONFIGURATION_CHANGED);
    assertThat(it.reason("a").code()).isEqualTo("NEVER_FITS");
  }

  @Test
  void takesFromAPolicyOnlyOnceWhenItsVictimsAreSlow() {
    Driver it = on(tenant().policy("guest", "1", "100"), 3).submit("g1", "x", "y", "z").run();
    it.forget().submit("o1", "a", "b", "c");
    assertThat(it.stopped()).as("3 - 2 = reservation 1").containsExactly("z", "y");
    assertThat(it.reason("c").code()).isEqualTo("CAPACITY");
  }

  @Test
  void reclaimsWhatAStartElsewhereExposes() {
    TenantBuilder tenant =
        tenant()
            .pool("cloud")
            .profile("far", "1", "cloud")
            .policy("guest", "1", "100")
            .queue("gf", "guest", "far", 1);
    Driver it = on(tenant, 1).submit("g1", "x").run().submit("o1", "a").forget();
    assertThat(it.reason("a").code()).isEqualTo("CAPACITY");
    it.submit("gf", "far").join(Driver.node("c", "cloud", 1));
    assertThat(it.stopped()).as("guest now uses 2 > 1").containsExactly("x");
  }

  /// `a` is within its policy's reservation until `s` starts. Then both may go for `x`, but not in
  /// the decision that starts `s`, nor because time passes.
  @Test
  void whatHasJustStartedIsNoVictimBeforeThereIsNews() {
    TenantBuilder tenant =
        tenant()
            .profile("four", "4", "pool")
            .profile("five", "5", "pool")
            .policy("owner", "5", "100")
            .policy("guest", "2", "100")
            .queue("o5", "owner", "five", 1)
            .queue("g4", "guest", "four", 2);
    Driver it = on(tenant, 5).submit("g1", "a").run().submit("o5", "x").forget().submit("g4", "s");
    assertThat(it.state("s")).isEqualTo(JobState.ASSIGNED);
    assertThat(it.stopped()).isEmpty();
    it.forget().pass();
    assertThat(it.effects).isEmpty();
    it.run();
    assertThat(it.stopped()).containsExactlyInAnyOrder("a", "s");
  }

  @Test
  void givesWhatAVictimLeavesBeyondToTheNextEntitledJob() {
    TenantBuilder tenant =
        tenant()
            .profile("careful", "1", "pool")
            .strict("careful")
            .pool("pool", "careful")
            .policy("guest", "1", "100")
            .queue("oc", "owner", "careful", 1);
    Driver it = on(tenant, 2).submit("g2", "x").run().submit("oc", "c").forget();
    assertThat(it.reason("c").code()).as("2 - 2 < 1").isEqualTo("CAPACITY");
    it.submit("o1", "a");
    assertThat(it.stopped()).as("2 > 1").containsExactly("x");
    assertThat(it.reason("c").code()).isEqualTo("WAITING_FOR_VICTIMS");
  }
}
