package io.headgate.scheduler.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.scheduler.core.catalog.Reclaim;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.core.job.PreemptionRule;
import io.headgate.scheduler.core.job.StopCause;
import org.junit.jupiter.api.Test;

/// P7: a better-ranked policy takes what worse-ranked ones use above their reservation.
class RankReclaimTest {
  private static TenantBuilder tenant(Reclaim reclaim) {
    return new TenantBuilder()
        .pool("pool")
        .profile("two", "2", "pool")
        .changeProfile("two", p -> p.with().reclaim(reclaim).build())
        .policy("gold", "0", "8")
        .policy("silver", "0", "8")
        .policy("base", "4", "8")
        .queue("gold-two", "gold", "two", 1)
        .queue("silver-two", "silver", "two", 2)
        .queue("base-two", "base", "two", 3);
  }

  private static Driver full(Reclaim reclaim) {
    return new Driver(tenant(reclaim))
        .join(Driver.node("n", "pool", 8))
        .submit("base-two", "b0", "b1", "b2", "b3")
        .settle()
        .forget();
  }

  @Test
  void takesFromWorseRanksAboveTheirReservation() {
    Driver it = full(Reclaim.RANK).submit("gold-two", "g0");
    assertThat(it.stopped()).containsExactly("b3");
    assertThat(it.effects(Effect.StopAttempt.class).getFirst().order().cause())
        .isInstanceOfSatisfying(
            StopCause.Preempted.class,
            cause -> assertThat(cause.rule()).isEqualTo(PreemptionRule.P7));
  }

  @Test
  void leavesReservationsAlone() {
    Driver it = full(Reclaim.RANK).submit("gold-two", "g0", "g1", "g2");
    it.settle();
    assertThat(it.used("base")).isEqualTo("4");
    assertThat(it.in(JobState.RUNNING)).contains("g0", "g1", "b0", "b1");
    assertThat(it.state("g2")).isEqualTo(JobState.WAITING);
  }

  @Test
  void neverTakesFromBetterOrEqualRanks() {
    Driver it = full(Reclaim.RANK).submit("gold-two", "g0", "g1").settle().forget();
    it.submit("silver-two", "s0");
    assertThat(it.stopped()).isEmpty();
    assertThat(it.reason("s0").code()).isEqualTo("CAPACITY");
  }

  @Test
  void isOptIn() {
    assertThat(full(Reclaim.RESERVATION).submit("gold-two", "g0").stopped()).isEmpty();
  }

  @Test
  void comesToRest() {
    Driver it = full(Reclaim.RANK).submit("silver-two", "s0", "s1").submit("gold-two", "g0", "g1");
    it.settle().forget();
    for (int i = 0; i < 5; i++) {
      it.pass();
    }
    assertThat(it.effects).isEmpty();
    assertThat(it.used("gold")).isEqualTo("4");
    assertThat(it.used("silver")).isEqualTo("0");
  }
}
