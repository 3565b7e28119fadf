package io.headgate.scheduler.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.scheduler.core.catalog.UserId;
import io.headgate.scheduler.core.job.JobState;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// A2: the grant to use idle capacity above the policy's limit.
class ExceedLimitTest {
  private static TenantBuilder tenant() {
    return new TenantBuilder()
        .pool("pool", "one", "last")
        .profile("one", "1", "pool")
        .policy("rnd", "2", "4")
        .changePolicy("rnd", p -> p.with().exceedLimit(Set.of(new UserId("grace"))).build())
        .policy("ops", "4", "8")
        .queue("rnd-one", "rnd", "one", 1)
        .queue("ops-one", "ops", "one", 1);
  }

  private static Driver with(int gpus) {
    return new Driver(tenant()).join(Driver.node("n", "pool", gpus));
  }

  private static void submit(Driver it, String user, String queue, String... names) {
    for (String name : names) {
      it.submit(it.spec(name, queue, user, 0, Optional.empty()));
    }
  }

  @Test
  void onlyTheGrantPassesTheLimit() {
    Driver it = with(8);
    submit(it, "bob", "rnd-one", "b0", "b1", "b2", "b3", "b4");
    submit(it, "grace", "rnd-one", "g0");
    assertThat(it.in(JobState.WAITING)).containsExactly("b4");
    assertThat(it.reason("b4").code()).isEqualTo("LIMIT");
    assertThat(it.used("rnd")).isEqualTo("5");
  }

  @Test
  void jobsWithinTheLimitStartFirst() {
    Driver it = with(4);
    submit(it, "bob", "rnd-one", "b0", "b1", "b2", "b3");
    submit(it, "grace", "rnd-one", "g0");
    submit(it, "eve", "ops-one", "e0");
    // e0 is entitled and takes one of b's; when another ends, g0 must not be before e1.
    it.settle();
    submit(it, "eve", "ops-one", "e1");
    it.settle();
    assertThat(it.state("g0")).isEqualTo(JobState.WAITING);
    assertThat(it.used("ops")).isEqualTo("2");
  }

  @Test
  void jobsAboveTheLimitAreTheFirstVictims() {
    Driver it =
        new Driver(
                tenant()
                    .policy("big", "0", "8")
                    .profile("last", "1", "pool")
                    .queue("big-last", "big", "last", 9))
            .join(Driver.node("n", "pool", 8));
    submit(it, "bob", "rnd-one", "b0", "b1", "b2", "b3");
    submit(it, "grace", "rnd-one", "g0");
    submit(it, "mia", "big-last", "m0", "m1", "m2");
    it.settle();
    // The rank of m is the worst, yet the job above its policy's limit goes before them.
    submit(it, "eve", "ops-one", "e0");
    assertThat(it.stopped()).containsExactly("g0");
    it.forget();
    submit(it, "eve", "ops-one", "e1");
    assertThat(it.stopped()).containsExactly("m2");
  }

  @Test
  void aLoweredLimitStopsNoJobAndBindsNewOnes() {
    Driver it = with(8);
    submit(it, "bob", "rnd-one", "b0", "b1", "b2", "b3");
    submit(it, "eve", "ops-one", "e0", "e1", "e2", "e3");
    it.settle().forget();
    it.provision(tenant().policy("rnd", "2", "3"));
    assertThat(it.stopped()).isEmpty();
    submit(it, "bob", "rnd-one", "b4");
    assertThat(it.reason("b4").code()).isEqualTo("LIMIT");
  }

  @Test
  void aJobAboveTheLimitNeverPreempts() {
    Driver it = with(4);
    submit(it, "eve", "ops-one", "e0", "e1", "e2", "e3", "e4");
    it.provision(tenant().policy("ops", "0", "8"));
    it.settle().forget();
    submit(it, "grace", "rnd-one", "g0", "g1", "g2", "g3", "g4", "g5");
    it.settle();
    // Two are entitled and take from ops; the others may only use what idles.
    assertThat(it.used("rnd")).isEqualTo("2");
    assertThat(it.used("ops")).isEqualTo("2");
  }
}
