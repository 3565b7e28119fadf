package io.headgate.scheduler.core;

import static io.headgate.scheduler.core.TenantBuilder.poolId;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.explain.Reason;
import io.headgate.scheduler.core.job.HeadroomHold;
import io.headgate.scheduler.core.job.HeadroomScope;
import io.headgate.scheduler.core.job.HeadroomScope.Bound;
import io.headgate.scheduler.core.job.JobSpec;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.type.GpuQuantity;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// O7 in a pool that tenants share: a job that its tenant's limit there has blocked for long enough
/// holds headroom in that limit.
class TenantHeadroomTest {
  private static final Duration HOUR = Duration.ofHours(1);
  private static final Instant ELEVEN = Instant.parse("2026-01-01T11:00:00Z");

  /// Red has a limit of 4 in `pool`, in which blue has a share too.
  private static TenantBuilder tenants(String... poolsOfOne) {
    TenantBuilder builder = new TenantBuilder();
    for (String pool : poolsOfOne) {
      builder.pool(pool);
    }
    return builder
        .profile("one", "1", poolsOfOne)
        .profile("four", "4", "pool")
        .policyOf("red", "red", "0", "9")
        .policyOf("red", "red-entitled", "2", "9")
        .policyOf("blue", "blue", "0", "9")
        .queue("l", "red", "four", 1)
        .queue("s", "red", "one", 1)
        .queue("e", "red-entitled", "one", 1)
        .queue("b", "blue", "one", 1)
        .share("red", "pool", "2", "4")
        .share("blue", "pool", "0", "9");
  }

  /// At ten, four jobs of an hour fill red's limit of 4, and a job that needs all of it waits.
  private static Driver blocked(TenantBuilder tenants) {
    Driver it = new Driver(tenants).join(Driver.node("n", "pool", 9));
    for (String name : List.of("a", "b", "c", "d")) {
      it.submit(it.timed(name, "s", HOUR));
    }
    return it.run().submit("l", "big").after(Duration.ofMinutes(10)).pass();
  }

  private static JobSpec fixed(Driver it, String name, String queue, Duration maxRuntime) {
    JobSpec spec = it.spec(name, queue, "alice", 0, Optional.of(false));
    return spec.with().maxRuntime(Optional.of(maxRuntime)).build();
  }

  private static Optional<HeadroomHold> headroom(Driver it) {
    return it.core.job(it.id("big")).orElseThrow().headroom();
  }

  @Test
  void holdsInTheLimitOfItsTenantInThatPool() {
    Driver it = blocked(tenants("pool"));
    assertThat(headroom(it))
        .contains(
            new HeadroomHold(
                List.of(HeadroomScope.ofTenant(Bound.LIMIT, poolId("pool"))),
                Optional.of(ELEVEN),
                Optional.empty()));
  }

  @Test
  void smallerJobsOfTheTenantLeaveItTheHeadroomAndSayWhere() {
    Driver it = blocked(tenants("pool")).exit("a", 0).submit("s", "later");
    assertThat(it.reason("later"))
        .isEqualTo(
            new Reason.HeldInLimit(
                new Reason.TenantLimit(
                    new TenantId("red"),
                    poolId("pool"),
                    GpuQuantity.ofGpus(3),
                    GpuQuantity.ONE,
                    GpuQuantity.ofGpus(4)),
                GpuQuantity.ofGpus(4),
                it.id("big"),
                Optional.of(ELEVEN)));
    it.exit("b", 0).exit("c", 0).exit("d", 0);
    assertThat(it.state("big")).isEqualTo(JobState.ASSIGNED);
    assertThat(headroom(it)).isEmpty();
    assertThat(it.state("later")).isEqualTo(JobState.WAITING);
    assertThat(it.reason("later")).isInstanceOf(Reason.TenantLimit.class);
  }

  @Test
  void jobsOfOtherTenantsAreNotAffected() {
    Driver it = blocked(tenants("pool")).submit("b", "blue");
    assertThat(it.state("blue")).isEqualTo(JobState.ASSIGNED);
  }

  @Test
  void anEntitledJobOfTheTenantPasses() {
    Driver it = blocked(tenants("pool")).exit("a", 0).submit("e", "entitled");
    assertThat(it.state("entitled")).isEqualTo(JobState.ASSIGNED);
  }

  @Test
  void aJobThatEndsInTimePasses() {
    Driver it = blocked(tenants("pool")).exit("a", 0);
    it.submit(it.timed("short", "s", Duration.ofMinutes(5)));
    assertThat(it.state("short")).isEqualTo(JobState.ASSIGNED);
  }

  @Test
  void smallerJobsStartInAnotherPoolMeanwhile() {
    Driver it = blocked(tenants("pool", "other")).join(Driver.node("m", "other", 1)).exit("a", 0);
    it.submit("s", "elsewhere", "later");
    assertThat(it.state("elsewhere")).isEqualTo(JobState.ASSIGNED);
    assertThat(it.state("later")).isEqualTo(JobState.WAITING);
  }

  @Test
  void holdsNothingWhereAnotherPoolCouldTakeIt() {
    TenantBuilder tenants = tenants("pool", "other").profile("four", "4", "pool", "other");
    Driver it = blocked(tenants.queue("l", "red", "four", 1));
    assertThat(headroom(it)).isPresent();
    it.join(Driver.node("m", "other", 4)).submit("b", "x");
    assertThat(it.state("big")).isEqualTo(JobState.ASSIGNED);
    assertThat(headroom(it)).isEmpty();
  }

  @Test
  void aNewLeaderKnowsIt() {
    Driver it = blocked(tenants("pool")).exit("a", 0).submit("s", "later").forget();
    for (int i = 0; i < 5; i++) {
      it.pass();
      it.core = it.core.copy();
    }
    assertThat(it.effects).isEmpty();
    assertThat(it.reason("later")).isInstanceOf(Reason.HeldInLimit.class);
  }

  @Test
  void aNonPreemptibleJobHoldsInTheReservationOfItsTenant() {
    TenantBuilder tenants =
        tenants("pool").profile("two", "2", "pool").queue("two", "red-entitled", "two", 1);
    Driver it = new Driver(tenants).join(Driver.node("n", "pool", 9));
    it.submit(fixed(it, "a", "e", HOUR)).submit(fixed(it, "b", "e", HOUR)).run();
    it.submit(fixed(it, "big", "two", HOUR)).after(Duration.ofMinutes(10)).pass();
    assertThat(headroom(it).orElseThrow().scopes())
        .contains(HeadroomScope.ofTenant(Bound.NON_PREEMPTIBLE, poolId("pool")));
    it.exit("a", 0).submit(fixed(it, "later", "e", HOUR.multipliedBy(2)));
    assertThat(it.state("later")).isEqualTo(JobState.WAITING);
    it.exit("b", 0);
    assertThat(it.state("big")).isEqualTo(JobState.ASSIGNED);
  }

  @Test
  void anEntitledJobMakesRoomInAPoolWhereItLeavesNoHeadroom() {
    TenantBuilder tenants =
        tenants("pool", "other")
            .policyOf("red", "red", "9", "9")
            .profile("there", "1", "other")
            .queue("o", "blue", "there", 1)
            .share("red", "pool", "4", "4")
            .share("red", "other", "2", "4")
            .share("blue", "other", "0", "9");
    Driver it = blocked(tenants).join(Driver.node("m", "other", 1));
    it.submit("o", "blue-there").submit("b", "b1", "b2", "b3", "b4", "b5").exit("a", 0);
    it.submit("b", "b6").submit("s", "small").settle();
    assertThat(headroom(it)).isPresent();
    assertThat(it.stopped()).containsExactly("blue-there");
    assertThat(it.state("small")).isEqualTo(JobState.RUNNING);
  }
}
