package io.headgate.scheduler.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.scheduler.core.job.StopCause;
import io.headgate.scheduler.core.job.Weighing;
import io.headgate.scheduler.core.job.Weighing.Way;
import io.headgate.type.GpuQuantity;
import java.time.Duration;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/// Rule P4: what a preemption tells of its choice.
class WeighingTest {
  private static final Duration HOUR = Duration.ofHours(1);

  /// `guest` reserves 2 and gives them up; its gang takes 16.
  private static TenantBuilder tenant() {
    return new TenantBuilder()
        .pool("pool")
        .profile("half", "1/2", "pool")
        .profile("one", "1", "pool")
        .profile("two", "2", "pool")
        .profile("sixteen", "8", 2, 0, "pool")
        .policy("owner", "4", "100")
        .policy("guest", "2", "100")
        .queue("o-half", "owner", "half", 1)
        .queue("o2", "owner", "two", 1)
        .queue("g1", "guest", "one", 2)
        .queue("g16", "guest", "sixteen", 2);
  }

  private static Driver twoNodesAnd(int gpus) {
    Driver it = new Driver(tenant()).join(Driver.node("a", "pool", 8), Driver.node("b", "pool", 8));
    return gpus == 0 ? it : it.join(Driver.node("c", "pool", gpus));
  }

  private static Weighing weighing(Driver it, String victim) {
    return it.effects(Effect.StopAttempt.class).stream()
        .filter(stop -> it.name(stop.attempt().job()).equals(victim))
        .map(stop -> (StopCause.Preempted) stop.order().cause())
        .map(cause -> cause.grounds().weighing().orElseThrow())
        .findFirst()
        .orElseThrow();
  }

  private static Weighing.Way way(Driver it, String victim) {
    return weighing(it, victim).way();
  }

  @Test
  void aGangIsTheOnlyOneThatHalfAGpuCanTakeFrom() {
    Driver it = twoNodesAnd(0).submit("g16", "gang").run().after(HOUR);

    it.submit("o-half", "half");

    assertThat(it.stopped()).containsExactly("gang");
    assertThat(weighing(it, "gang"))
        .isEqualTo(
            new Weighing(
                Way.ORDER,
                1,
                1,
                GpuQuantity.parse("16"),
                HOUR.multipliedBy(16),
                OptionalInt.of(0)));
    assertThat(it.record("gang").lastPreemption().orElseThrow().grounds().weighing())
        .contains(weighing(it, "gang"));
  }

  /// A job of 1 GPU on a machine of 1 does not make room for a job of 2. It would go first, and is
  /// given back.
  @Test
  void countsTheSmallerOnesThatDoNotSuffice() {
    Driver it = twoNodesAnd(1).submit("g16", "gang").run().submit("g1", "small").run();

    it.forget().submit("o2", "two");

    assertThat(it.stopped()).containsExactly("gang");
    assertThat(weighing(it, "gang"))
        .isEqualTo(
            new Weighing(
                Way.ORDER, 2, 1, GpuQuantity.parse("16"), Duration.ZERO, OptionalInt.of(1)));
  }

  /// The order takes `b1` and `a1`, of two nodes. Then `guest` is within its reservation.
  @Test
  void tellsThatTheOrderLedToNoPlace() {
    Driver it = new Driver(tenant()).join(Driver.node("a", "pool", 2), Driver.node("b", "pool", 2));
    it.submit(it.prior("a1", "g1", -1), it.prior("a2", "g1", 0)).run();
    it.submit(it.prior("b1", "g1", -1), it.prior("b2", "g1", 0)).run().forget();
    assertThat(it.place("a1") + it.place("a2")).doesNotContain("b:");

    it.submit("o2", "two");

    assertThat(it.stopped()).containsExactlyInAnyOrder("b1", "b2");
    assertThat(weighing(it, "b1"))
        .isEqualTo(
            new Weighing(Way.PLACE, 4, 2, GpuQuantity.ONE, Duration.ZERO, OptionalInt.empty()));
    assertThat(way(it, "b2")).isEqualTo(Way.PLACE);
  }
}
