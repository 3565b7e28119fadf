package io.headgate.scheduler.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// Jobs that have waited for `promoteAfter` (O7); the tables have the order.
class PromotionTest {
  private static final Duration AFTER = Duration.ofMinutes(10);

  private static Driver world() {
    TenantBuilder tenant =
        new TenantBuilder()
            .pool("p")
            .changePool("p", pool -> pool.with().promoteAfter(Optional.of(AFTER)).build())
            .profile("one", "1", 1, 0)
            .policy("a", "0", "9")
            .policy("b", "0", "9")
            .queue("first", "a", "one", 1)
            .queue("second", "b", "one", 2);
    tenant.changeProfile(
        "one", profile -> profile.with().pools(List.of(TenantBuilder.poolId("p"))).build());
    return new Driver(tenant);
  }

  private static Optional<Duration> wakesAfter(Driver it) {
    return it.core
        .decide(List.of(new Input.TimePassed()), it.now)
        .wakeAt()
        .map(at -> Duration.between(it.now, at));
  }

  @Test
  void theSchedulerWakesWhenABlockedJobIsPromoted() {
    Driver it = world().submit("second", "slow");
    assertThat(wakesAfter(it)).contains(AFTER);

    it.after(Duration.ofMinutes(4));
    assertThat(wakesAfter(it)).contains(Duration.ofMinutes(6));
    it.after(Duration.ofMinutes(6));
    assertThat(wakesAfter(it)).as("nothing is left to promote").isEmpty();
  }

  @Test
  void aNewLeaderPromotesTheSameJobs() {
    Driver it = world().submit("second", "slow").after(AFTER).submit("first", "fast");

    it.core = SchedulerCore.load(it.core.state());
    it.join(Driver.node("n", "p", 1));

    assertThat(it.core.attempt(it.id("slow"))).isPresent();
    assertThat(it.core.attempt(it.id("fast"))).isEmpty();
  }

  @Test
  void theLongestWaitingArePromotedFirst() {
    Driver it =
        world().submit("second", "one").after(Duration.ofMinutes(1)).submit("second", "two");
    it.after(Duration.ofMinutes(9)).submit("first", "fast");

    it.join(Driver.node("n", "p", 2));

    assertThat(it.core.attempt(it.id("one"))).isPresent();
    assertThat(it.core.attempt(it.id("fast"))).isPresent();
    assertThat(it.core.attempt(it.id("two"))).isEmpty();
  }
}
