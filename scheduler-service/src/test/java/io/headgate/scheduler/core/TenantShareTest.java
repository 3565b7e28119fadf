package io.headgate.scheduler.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.Profile;
import io.headgate.scheduler.core.catalog.Reclaim;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.explain.Denial;
import io.headgate.scheduler.core.explain.Reason;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.core.job.PreemptionGrounds;
import io.headgate.scheduler.core.job.StopCause;
import io.headgate.type.GpuQuantity;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// A3: tenants that share a pool have reservations and limits in it, one level above their
/// policies.
class TenantShareTest {
  /// Red and blue share a pool of 8, red with two policies; one GPU a job.
  private static TenantBuilder tenants() {
    return new TenantBuilder()
        .pool("pool")
        .profile("one", "1", "pool")
        .profile("three", "3", "pool")
        .policyOf("red", "red-a", "2", "8")
        .policyOf("red", "red-b", "2", "8")
        .policyOf("blue", "blue", "4", "8")
        .queue("ra", "red-a", "one", 1)
        .queue("rb", "red-b", "one", 1)
        .queue("b", "blue", "one", 1)
        .queue("b3", "blue", "three", 1)
        .share("red", "pool", "4", "8")
        .share("blue", "pool", "4", "8");
  }

  private static Driver with(TenantBuilder tenants) {
    return new Driver(tenants).join(Driver.node("n", "pool", 8));
  }

  private static String used(Driver it, String tenant, String policy) {
    return it.used(new PolicyId(new TenantId(tenant), policy));
  }

  @Test
  void idleCapacityMovesAndIsReclaimed() {
    Driver it = with(tenants());
    it.submit("ra", "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7").settle().forget();
    assertThat(used(it, "red", "red-a")).isEqualTo("8");
    it.submit("b", "b0", "b1", "b2", "b3", "b4").settle();
    // Four come back, the fifth would be above blue's reservation.
    assertThat(it.stopped()).containsExactly("r7", "r6", "r5", "r4");
    assertThat(used(it, "blue", "blue")).isEqualTo("4");
    assertThat(it.reason("b4").code()).isEqualTo("CAPACITY");
  }

  @Test
  void theLimitBindsOnAnIdlePoolAndNamesTheTenant() {
    Driver it = with(tenants().share("red", "pool", "4", "5"));
    it.submit("ra", "r0", "r1", "r2").submit("rb", "s0", "s1", "s2").settle();
    assertThat(it.in(JobState.WAITING)).containsExactly("s2");
    assertThat(it.reason("s2"))
        .isEqualTo(
            new Reason.TenantLimit(
                new TenantId("red"),
                TenantBuilder.poolId("pool"),
                GpuQuantity.parse("5"),
                GpuQuantity.ONE,
                GpuQuantity.parse("5")));
    assertThat(it.reason("s2").code()).isEqualTo("LIMIT");
    it.forget().exit("r0", 0);
    assertThat(it.state("s2")).isEqualTo(JobState.ASSIGNED);
  }

  @Test
  void aTenantsReservationIsTakenBackFromPoliciesWithinTheirs() {
    // The reservations of blue's policies do not bind red.
    Driver it = with(tenants().policyOf("blue", "blue", "8", "8"));
    it.submit("b", "b0", "b1", "b2", "b3", "b4", "b5", "b6", "b7").settle().forget();
    it.submit("ra", "r0").settle();
    assertThat(it.stopped()).containsExactly("b7");
    StopCause cause = it.effects(Effect.StopAttempt.class).getFirst().order().cause();
    assertThat(((StopCause.Preempted) cause).grounds().tenants())
        .contains(
            new PreemptionGrounds.Tenants(
                new PreemptionGrounds.TenantShare(
                    new TenantId("blue"), GpuQuantity.parse("8"), GpuQuantity.parse("4")),
                new PreemptionGrounds.TenantShare(
                    new TenantId("red"), GpuQuantity.ZERO, GpuQuantity.parse("4"))));
  }

  @Test
  void aTenantWithinItsReservationLosesNothingToOthers() {
    // red-a is above its reservation, red is not; blue is entitled to 6 and gets what idles.
    Driver it =
        with(
            tenants()
                .share("red", "pool", "6", "8")
                .share("blue", "pool", "6", "8")
                .policyOf("blue", "blue", "6", "8"));
    it.submit("ra", "r0", "r1", "r2", "r3", "r4", "r5").settle().forget();
    it.submit("b", "b0", "b1", "b2").settle();
    assertThat(it.stopped()).isEmpty();
    assertThat(it.in(JobState.WAITING)).containsExactly("b2");
  }

  @Test
  void aTenantLosesNoMoreThanItHasAboveItsReservation() {
    Driver it = with(tenants().share("red", "pool", "6", ""));
    it.submit("ra", "r0", "r1", "r2", "r3", "r4", "r5", "r6").settle().forget();
    // One idles and red has one too many; three are asked for.
    it.submit("b3", "x").settle();
    assertThat(it.stopped()).isEmpty();
    assertThat(it.reason("x").code()).isEqualTo("CAPACITY");
  }

  /// Nor does the job wait for the end of a protection of attempts that may not be preempted
  /// anyway.
  @Test
  void noJobWaitsForJobsThatAreNoVictims() {
    Driver it =
        with(tenants().share("red", "pool", "8", "").minRuntime("red-a", Duration.ofMinutes(5)));
    it.submit("ra", "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7").settle().submit("b", "b0");
    assertThat(it.wakeAt).contains(it.now.plus(Profile.DEFAULT_HOLD_AFTER));
  }

  @Test
  void onlyTheProtectedUsageOfATenantCounts() {
    // Red reserves 3 and uses 4; of these its policies' reservations protect 2 of red-a.
    Driver it = with(tenants().share("red", "pool", "3", "8"));
    it.submit("ra", "r0", "r1", "r2", "r3").submit("b", "b0", "b1", "b2", "b3").settle().forget();
    it.submit("rb", "s0").settle();
    assertThat(it.stopped()).containsExactly("r3");
    // With s0, red's protected usage is its reservation, so that s1 is not entitled.
    it.forget().submit("rb", "s1").settle();
    assertThat(it.stopped()).isEmpty();
    assertThat(it.state("s1")).isEqualTo(JobState.WAITING);
  }

  @Test
  void aShareWithoutAReservationReservesWhatTheTenantsMembersDo() {
    Driver it = with(tenants().share("red", "pool", "", "").share("blue", "pool", "4", ""));
    it.submit("b", "b0", "b1", "b2", "b3", "b4", "b5", "b6", "b7").settle().forget();
    it.submit("ra", "r0", "r1", "r2").submit("rb", "s0", "s1").settle();
    // Two for each of red's policies.
    assertThat(it.stopped()).containsExactly("b7", "b6", "b5", "b4");
  }

  @Test
  void anEntitledPolicyMakesRoomInItsTenantsLimit() {
    Driver it = with(tenants().share("red", "pool", "4", "4"));
    it.submit("ra", "r0", "r1", "r2", "r3").settle().forget();
    it.submit("rb", "s0");
    assertThat(it.stopped()).containsExactly("r3");
    // The place idles, but the limit is full until the victim has gone.
    assertThat(it.state("s0")).isEqualTo(JobState.WAITING);
    it.settle();
    assertThat(it.state("s0")).isEqualTo(JobState.RUNNING);
    assertThat(used(it, "red", "red-a")).isEqualTo("3");
  }

  @Test
  void whatIsAboveTheReservationsIsSharedByWeightWhateverTheRanks() {
    Driver it =
        new Driver(
            tenants()
                .queue("ra", "red-a", "one", 2)
                .share("red", "pool", "0", "8", 3)
                .share("blue", "pool", "0", "8"));
    it.submit("b", "b0", "b1", "b2", "b3", "b4", "b5", "b6", "b7");
    it.submit("ra", "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7");
    it.join(Driver.node("n", "pool", 8));
    assertThat(used(it, "red", "red-a")).isEqualTo("6");
    assertThat(used(it, "blue", "blue")).isEqualTo("2");
  }

  @Test
  void aTenantWithoutAShareUsesWhatIdles() {
    Driver it = with(tenants().policyOf("green", "green", "4", "8").queue("g", "green", "one", 1));
    it.submit("g", "g0", "g1", "g2", "g3", "g4", "g5").settle().forget();
    it.submit("b", "b0", "b1", "b2", "b3").settle();
    assertThat(it.stopped()).containsExactly("g5", "g4");
    it.forget().submit("g", "g6").settle();
    assertThat(it.stopped()).isEmpty();
  }

  @Test
  void rankReclaimStaysWithinTheTenant() {
    Driver it =
        with(
            tenants()
                .changeProfile("one", p -> p.with().reclaim(Reclaim.RANK).build())
                .policyOf("red", "red-a", "0", "8")
                .policyOf("red", "red-b", "0", "8")
                .queue("rb", "red-b", "one", 9)
                .queue("b", "blue", "one", 9)
                .share("red", "pool", "0", "8")
                .share("blue", "pool", "0", "8"));
    it.submit("b", "b0", "b1", "b2", "b3", "b4", "b5").submit("rb", "s0", "s1").settle().forget();
    it.submit("ra", "r0", "r1", "r2").settle();
    assertThat(it.stopped()).containsExactly("s1", "s0");
  }

  @Test
  void rankReclaimTakesNothingFromOthersEvenWithinTheTenantsReservation() {
    Driver it =
        with(
            tenants()
                .changeProfile("one", p -> p.with().reclaim(Reclaim.RANK).build())
                .policyOf("red", "red-a", "0", "8")
                .queue("b", "blue", "one", 9)
                .share("blue", "pool", "2", ""));
    it.submit("b", "b0", "b1", "b2", "b3", "b4", "b5", "b6", "b7").settle().forget();
    it.submit("ra", "r0").settle();
    assertThat(it.stopped()).isEmpty();
  }

  @Test
  void nonPreemptibleJobsStayWithinTheTenantsReservation() {
    Driver it = with(tenants().policyOf("red", "red-a", "8", "8").share("red", "pool", "2", "8"));
    for (String name : new String[] {"r0", "r1", "r2"}) {
      it.submit(it.spec(name, "ra", "ada", 0, Optional.of(false)));
    }
    it.settle();
    assertThat(it.in(JobState.RUNNING)).containsExactly("r0", "r1");
    assertThat(it.reason("r2").code()).isEqualTo("NON_PREEMPTIBLE");
    assertThat(it.reason("r2")).isInstanceOf(Reason.TenantNonPreemptible.class);
    // Others of the queue go on.
    it.submit("ra", "r3").settle();
    assertThat(it.state("r3")).isEqualTo(JobState.RUNNING);
  }

  @Test
  void aJobAboveTheTenantsLimitIsRefusedWithTheNumbers() {
    Driver it = with(tenants().share("blue", "pool", "2", "2"));
    it.submit("b3", "big");
    assertThat(it.denial())
        .isEqualTo(
            new Denial.AboveTenantLimit(
                new TenantId("blue"),
                TenantBuilder.poolId("pool"),
                GpuQuantity.parse("3"),
                GpuQuantity.parse("2")));
  }

  @Test
  void theLimitIsPerPool() {
    Driver it =
        with(tenants()
                .pool("own")
                .profile("one", "1", "pool", "own")
                .share("red", "pool", "1", "2"))
            .join(Driver.node("m", "own", 2));
    it.submit("ra", "r0", "r1", "r2", "r3", "r4").settle();
    assertThat(it.pool("r1")).isEqualTo("pool");
    assertThat(it.pool("r2")).isEqualTo("own");
    assertThat(it.pool("r3")).isEqualTo("own");
    assertThat(it.reason("r4").code()).isEqualTo("LIMIT");
  }

  @Test
  void sharesMayComeAndGoWhileJobsRun() {
    TenantBuilder alone =
        new TenantBuilder()
            .pool("pool")
            .profile("one", "1", "pool")
            .policyOf("red", "red-a", "8", "8")
            .policyOf("blue", "blue", "8", "8")
            .queue("ra", "red-a", "one", 1)
            .queue("b", "blue", "one", 1);
    Driver it = with(alone);
    it.submit("ra", "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7").settle().forget();
    // Without shares only policies count, and red-a is within its reservation.
    it.submit("b", "b0").settle();
    assertThat(it.stopped()).isEmpty();
    it.provision(alone.share("red", "pool", "4", "").share("blue", "pool", "4", "")).settle();
    assertThat(it.stopped()).containsExactly("r7");
    assertThat(it.state("b0")).isEqualTo(JobState.RUNNING);
  }

  @Test
  void aJobOfATenantThatIsNoLongerEntitledWaitsForNoMinimumRunTime() {
    Duration least = Duration.ofSeconds(30);
    Driver it = with(tenants().share("blue", "pool", "3", "8").minRuntime("red-a", least));
    it.submit("ra", "r0", "r1", "r2", "r3", "r4", "r5", "r6").run();
    it.submit(it.spec("x", "b3"));
    assertThat(it.wakeAt).contains(it.now.plus(least));
    it.submit("b", "y").pass();
    assertThat(it.state("y")).isEqualTo(JobState.ASSIGNED);
    assertThat(it.wakeAt).isNotEqualTo(Optional.of(it.now.plus(least)));
  }

  @Test
  void comesToRest() {
    Driver it = with(tenants());
    it.submit("ra", "r0", "r1", "r2", "r3", "r4", "r5", "r6").settle();
    it.submit("b3", "x", "y").submit("rb", "s0", "s1", "s2").submit("b", "b0", "b1").settle();
    it.forget();
    for (int i = 0; i < 5; i++) {
      it.pass();
    }
    assertThat(it.effects).isEmpty();
  }
}
