package io.headgate.scheduler.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.scheduler.core.catalog.PreemptWithin;
import io.headgate.scheduler.core.catalog.UserId;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.core.job.PreemptionRule;
import io.headgate.scheduler.core.job.StopCause;
import io.headgate.type.GpuQuantity;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// P9: a job takes from jobs of its own policy that have strictly lower priority.
class WithinPolicyTest {
  private static TenantBuilder tenant(PreemptWithin within) {
    return new TenantBuilder()
        .pool("pool")
        .pool("other")
        .profile("one", "1", "pool")
        .profile("away", "2", "other")
        .policy("team", "0", "4")
        .changePolicy("team", p -> p.with().preemptWithin(within).build())
        .policy("rest", "0", "8")
        .queue("q", "team", "one", 1)
        .queue("away", "team", "away", 1)
        .queue("r", "rest", "one", 1);
  }

  private static Driver with(int gpus) {
    return new Driver(tenant(PreemptWithin.LOWER_PRIORITY))
        .join(Driver.node("n", "pool", gpus), Driver.node("o", "other", 4));
  }

  @Test
  void takesTheLowestPriorityThenTheLastStarted() {
    Driver it = with(3);
    it.submit(it.prior("a", "q", 0), it.prior("b", "q", 1), it.prior("c", "q", 0)).settle();
    it.forget().submit(it.prior("d", "q", 5));
    assertThat(it.stopped()).containsExactly("c");
    assertThat(it.effects(Effect.StopAttempt.class).getFirst().order().cause())
        .isInstanceOfSatisfying(
            StopCause.Preempted.class,
            cause -> assertThat(cause.rule()).isEqualTo(PreemptionRule.P9));
    it.submit(it.prior("e", "q", 5));
    assertThat(it.stopped()).containsExactly("c", "a");
  }

  @Test
  void equalPrioritiesWait() {
    Driver it = with(1);
    it.submit(it.prior("a", "q", 3)).settle().forget();
    it.submit(it.prior("b", "q", 3));
    assertThat(it.stopped()).isEmpty();
  }

  @Test
  void othersAreLeftAlone() {
    Driver it = with(1);
    it.submit("r", "other").settle().forget();
    it.submit(it.prior("b", "q", 3));
    assertThat(it.stopped()).isEmpty();
  }

  @Test
  void makesRoomInTheLimitToo() {
    Driver it = with(8);
    it.submit(it.prior("a", "q", 0), it.prior("b", "q", 0), it.prior("c", "q", 0))
        .submit(it.prior("d", "q", 0))
        .settle()
        .forget();
    it.submit(it.prior("e", "q", 1));
    assertThat(it.stopped()).containsExactly("d");
    it.settle();
    assertThat(it.state("e")).isEqualTo(JobState.RUNNING);
    assertThat(it.used("team")).isEqualTo("4");
  }

  @Test
  void aVictimInAnotherPoolMakesRoomInTheLimit() {
    Driver it = with(8);
    it.submit(it.prior("far0", "away", 0), it.prior("far1", "away", 0)).settle().forget();
    it.submit(it.prior("e", "q", 1));
    assertThat(it.stopped()).containsExactly("far1");
    it.settle();
    assertThat(it.state("e")).isEqualTo(JobState.RUNNING);
  }

  @Test
  void isOptIn() {
    Driver it = new Driver(tenant(PreemptWithin.NEVER)).join(Driver.node("n", "pool", 1));
    it.submit(it.prior("a", "q", 0)).settle().forget();
    it.submit(it.prior("b", "q", 9));
    assertThat(it.stopped()).isEmpty();
  }

  @Test
  void aJobAboveTheLimitByAGrantIsNotInTheWay() {
    Driver it =
        new Driver(
                tenant(PreemptWithin.LOWER_PRIORITY)
                    .policy("team", "0", "1")
                    .changePolicy(
                        "team",
                        p ->
                            p.with()
                                .exceedLimit(Set.of(new UserId("grace")))
                                .preemptWithin(PreemptWithin.LOWER_PRIORITY)
                                .build()))
            .join(Driver.node("n", "pool", 1));
    it.submit(it.prior("low", "q", -1)).settle().forget();
    it.submit(it.spec("granted", "q", "grace", 0, Optional.empty()));
    assertThat(it.stopped()).isEmpty();
    it.submit(it.prior("mine", "q", 0));
    assertThat(it.stopped()).containsExactly("low");
    assertThat(it.core.hold(it.id("mine"))).isPresent();
  }

  @Test
  void whatAHoldPutsAboveTheReservationMayBeTakenInTheSamePass() {
    TenantBuilder tenant =
        tenant(PreemptWithin.LOWER_PRIORITY)
            .profile("two", "2", "pool")
            .changePolicy("team", p -> p.with().reservation(GpuQuantity.parse("2")).build())
            .policy("owner", "2", "2")
            .queue("q2", "team", "two", 1)
            .queue("o2", "owner", "two", 2);
    Driver it = new Driver(tenant).join(Driver.node("n", "pool", 3));
    it.submit("q2", "a").submit("q", "b").settle();
    it.requeue("b").cancel("b").forget();
    it.submit("o2", "mine");
    // The team is at its reservation with a, and b's GPU is not enough.
    assertThat(it.stopped()).isEmpty();
    // This one waits for b's GPU under P9: now the team is above its reservation.
    it.submit(it.prior("next", "q", 1));
    assertThat(it.core.hold(it.id("next"))).isPresent();
    assertThat(it.stopped()).containsExactly("a");
  }

  @Test
  void takesTheFewestWhereSeveralPoolsWouldDo() {
    TenantBuilder tenant =
        tenant(PreemptWithin.LOWER_PRIORITY)
            .profile("three", "3", "pool", "other")
            .queue("three", "team", "three", 1);
    Driver it = new Driver(tenant).join(Driver.node("n", "pool", 3), Driver.node("o", "other", 4));
    it.submit(it.prior("far", "away", 0)).submit(it.prior("a", "q", 0), it.prior("b", "q", 0));
    it.settle().forget();
    // The limit of 4 is full, and only when b, a and far have gone 3 more are within it. In "pool"
    // all three have to go, in "other" far and one of the others.
    it.submit(it.prior("e", "three", 1));
    assertThat(it.stopped()).hasSize(2).contains("far");
    assertThat(it.core.hold(it.id("e")).orElseThrow().place().pool().name()).isEqualTo("other");
  }

  @Test
  void aJobThatOnlyMadeRoomInTheLimitStartsElsewhereAtOnce() {
    TenantBuilder tenant =
        tenant(PreemptWithin.LOWER_PRIORITY)
            .profile("three", "3", "pool")
            .profile("there", "1", "other")
            .queue("three", "team", "three", 1)
            .queue("there", "team", "there", 1);
    tenant.changePolicy("team", p -> p.with().reservation(GpuQuantity.parse("3")).build());
    Driver it = new Driver(tenant).join(Driver.node("n", "pool", 3), Driver.node("o", "other", 2));
    it.submit(it.prior("a", "q", 0), it.prior("b", "q", 0)).run();
    // Held are 3, although only 2 stop for it: the limit of 4 has room for one more.
    it.submit(it.prior("big", "three", 1)).submit(it.prior("c", "there", 0)).run();
    it.submit(it.prior("e", "there", 1));
    assertThat(it.stopped()).containsExactly("b", "a", "c");
    // While c stops its policy uses 3, and the other machine has a GPU that idles.
    assertThat(it.place("e")).isEqualTo("o:1");
    assertThat(it.core.copy().decide(List.of(new Input.TimePassed()), it.now).effects()).isEmpty();
  }
}
