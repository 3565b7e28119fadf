package io.headgate.scheduler.core;

import static io.headgate.scheduler.core.TenantBuilder.ACME;
import static io.headgate.scheduler.core.TenantBuilder.policyId;
import static io.headgate.scheduler.core.TenantBuilder.poolId;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.headgate.scheduler.core.catalog.UserId;
import io.headgate.scheduler.core.explain.Reason;
import io.headgate.scheduler.core.explain.ReasonDetail;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.type.GpuQuantity;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// A hold counts in the limits of its job. The reason of a job that waits for that is HOLD, and the
/// numbers of LIMIT are those of use alone.
class HeldInLimitTest {
  private static final Duration HOUR = Duration.ofHours(1);

  private static GpuQuantity gpus(int count) {
    return GpuQuantity.ofGpus(count);
  }

  private static TenantBuilder tenant() {
    return new TenantBuilder()
        .pool("pool")
        .profile("four", "4", "pool")
        .profile("five", "1", 5, 0, "pool")
        .profile("one", "1", "pool")
        .policy("guest", "0", "8")
        .policy("team", "0", "5")
        .queue("guest", "guest", "one", 1)
        .queue("big", "team", "four", 1)
        .queue("gang", "team", "five", 2)
        .queue("small", "team", "one", 3);
  }

  /// The team uses one GPU, and holds the four of a node that guests leave in an hour.
  private static Driver holding(TenantBuilder tenant) {
    Driver it = new Driver(tenant).join(Driver.node("n", "pool", 4));
    for (String guest : List.of("g0", "g1", "g2", "g3")) {
      it.submit(it.timed(guest, "guest", HOUR));
    }
    it.join(Driver.node("m", "pool", 3)).submit("small", "own").run();
    it.submit("big", "holder").after(Duration.ofMinutes(10)).pass();
    assertThat(it.core.hold(it.id("holder"))).isPresent();
    return it.forget();
  }

  @Test
  void namesTheHolderWhereOnlyItsHoldFillsTheLimitOfThePolicy() {
    Driver it = holding(tenant()).submit("small", "waits");
    Reason reason =
        new Reason.HeldInLimit(
            new Reason.Limit(policyId("team"), gpus(1), gpus(1), gpus(5)),
            gpus(4),
            it.id("holder"),
            Optional.empty());
    assertThat(it.reason("waits")).isEqualTo(reason);
    assertThat(reason.code()).isEqualTo("HOLD");
    assertThat(ReasonDetail.of(reason))
        .containsExactly(
            entry("policy", "team"),
            entry("usage", "1"),
            entry("need", "1"),
            entry("limit", "5"),
            entry("held", "4"),
            entry("holder", it.id("holder").toString()));
    assertThat(it.effects(Effect.LaneReasonChanged.class))
        .extracting(Effect.LaneReasonChanged::reason)
        .containsExactly(reason);
  }

  @Test
  void theNumbersOfALimitAreThoseOfUseAlone() {
    Driver it = holding(tenant()).submit("gang", "waits");
    assertThat(it.reason("waits"))
        .isEqualTo(new Reason.Limit(policyId("team"), gpus(1), gpus(5), gpus(5)));
  }

  @Test
  void tellsWhenUseFillsTheLimitInsteadOfTheHold() {
    Driver it = holding(tenant()).submit("small", "waits").forget();
    it.exit("g0", 0).exit("g1", 0).exit("g2", 0).exit("g3", 0);
    assertThat(it.state("holder")).isEqualTo(JobState.ASSIGNED);
    Reason limit = new Reason.Limit(policyId("team"), gpus(5), gpus(1), gpus(5));
    assertThat(it.reason("waits")).isEqualTo(limit);
    assertThat(it.effects(Effect.LaneReasonChanged.class))
        .extracting(Effect.LaneReasonChanged::reason)
        .containsExactly(limit);
  }

  @Test
  void anotherRightThatIsInTheWayGoesFirst() {
    Driver it = holding(tenant().entitledOnly("small").policy("team", "1", "5"));
    it.submit("small", "waits");
    assertThat(it.reason("waits"))
        .isEqualTo(new Reason.OverReservationDenied(policyId("team"), gpus(1), gpus(1), gpus(1)));
  }

  @Test
  void countsInTheLimitOfAUserToo() {
    Driver it = holding(tenant().policy("team", "0", "8").perUser("team", "5"));
    it.submit("small", "waits");
    assertThat(it.reason("waits"))
        .isEqualTo(
            new Reason.HeldInLimit(
                new Reason.UserLimit(
                    policyId("team"), new UserId("alice"), gpus(1), gpus(1), gpus(5)),
                gpus(4),
                it.id("holder"),
                Optional.empty()));
    it.submit(it.spec("bobs", "small", "bob", 0, Optional.empty()));
    assertThat(it.state("bobs")).isEqualTo(JobState.ASSIGNED);
    it.submit("gang", "five");
    assertThat(it.reason("five"))
        .isEqualTo(
            new Reason.UserLimit(policyId("team"), new UserId("alice"), gpus(1), gpus(5), gpus(5)));
  }

  @Test
  void countsInTheLimitOfATenantToo() {
    Driver it =
        holding(
            tenant()
                .policy("team", "0", "10")
                .policyOf("other", "guest", "0", "8")
                .queue("guest", "guest", "one", 1)
                .share(ACME.name(), "pool", "0", "5"));
    it.submit("small", "waits");
    assertThat(it.reason("waits"))
        .isEqualTo(
            new Reason.HeldInLimit(
                new Reason.TenantLimit(ACME, poolId("pool"), gpus(1), gpus(1), gpus(5)),
                gpus(4),
                it.id("holder"),
                Optional.empty()));
    it.submit("gang", "five");
    assertThat(it.reason("five"))
        .isEqualTo(new Reason.TenantLimit(ACME, poolId("pool"), gpus(1), gpus(5), gpus(5)));
  }
}
