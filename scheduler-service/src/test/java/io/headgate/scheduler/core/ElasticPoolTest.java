package io.headgate.scheduler.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.scheduler.core.catalog.Elasticity;
import io.headgate.scheduler.core.catalog.Instance;
import io.headgate.scheduler.core.catalog.Isolation;
import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.explain.Denial;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.type.GpuQuantity;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// Elastic pools: capacity that can be asked for, and P6.
class ElasticPoolTest {
  private static final Duration IDLE = Duration.ofMinutes(15);

  private static TenantBuilder tenant(int most) {
    return new TenantBuilder()
        .pool("onprem")
        .pool("cloud")
        .changePool("cloud", p -> p.with().elasticity(Optional.of(eights(most))).build())
        .profile("half", "1/2", "onprem", "cloud")
        .profile("four", "4", "onprem", "cloud")
        .policy("dev", "4", "32")
        .policy("guest", "0", "32")
        .queue("dev-four", "dev", "four", 1)
        .queue("guest-half", "guest", "half", 1)
        .queue("guest-four", "guest", "four", 1);
  }

  private static Elasticity eights(int most) {
    return new Elasticity(
        new Instance(8, "H100", 80 * Driver.GIB, Isolation.DRIVER_CONTAINER, 96_000, 1L << 40),
        0,
        most,
        IDLE);
  }

  private static List<Integer> asked(Driver it) {
    return it.effects(Effect.ScalePool.class).stream().map(Effect.ScalePool::instances).toList();
  }

  @Test
  void asksForAsManyInstancesAsWaitingJobsFill() {
    Driver it = new Driver(tenant(9));
    it.submit("guest-half", "h0", "h1", "h2", "h3").submit("guest-four", "f0", "f1");
    // 4 x 1/2 are a quarter of an instance, 2 x 4 another one.
    assertThat(asked(it)).containsExactly(1, 2);
    assertThat(it.reason("f1").code()).isEqualTo("WAITING_FOR_PROVIDER");
    it.join(Driver.node("c0", "cloud", 8), Driver.node("c1", "cloud", 8));
    assertThat(it.in(JobState.ASSIGNED)).hasSize(6);
    assertThat(asked(it)).containsExactly(1, 2);
  }

  @Test
  void asksForThePartOfAnArrayThatMayStart() {
    Driver it = new Driver(tenant(9)).submitArray("sweep", "guest-four", 100, 6);
    assertThat(asked(it)).containsExactly(3);
    assertThat(
            it.core
                .books(_ -> Optional.empty())
                .waiting(new PolicyId(TenantBuilder.ACME, "guest"))
                .units())
        .isEqualTo(6 * 4 * GpuQuantity.UNITS_PER_GPU);
    it.join(Driver.node("c0", "cloud", 8), Driver.node("c1", "cloud", 8)).run();
    assertThat(it.in(JobState.RUNNING)).hasSize(4);
    it.exit("sweep.1", 0);
    assertThat(asked(it)).containsExactly(3);
    assertThat(new Driver(tenant(9)).submitArray("two", "guest-four", 2, 0))
        .satisfies(two -> assertThat(asked(two)).containsExactly(1));
  }

  @Test
  void neverAsksForMoreThanItsBounds() {
    Driver it = new Driver(tenant(2));
    it.submit("guest-four", "f0", "f1", "f2", "f3", "f4", "f5");
    assertThat(asked(it)).containsExactly(2);
    Driver capped = new Driver(tenant(9).poolCapacity("cloud", "12"));
    capped.submit("guest-four", "f0", "f1", "f2", "f3", "f4", "f5");
    assertThat(asked(capped)).containsExactly(2);
  }

  @Test
  void rightsBoundWhatIsAskedFor() {
    Driver it = new Driver(tenant(9).policy("guest", "0", "8"));
    it.submit("guest-four", "f0", "f1", "f2", "f3", "f4", "f5");
    assertThat(asked(it)).containsExactly(1);
  }

  @Test
  void takesBackWhatIsNoLongerNeeded() {
    Driver it = new Driver(tenant(9)).submit("guest-four", "f0").cancel("f0");
    assertThat(asked(it)).containsExactly(1, 0);
  }

  @Test
  void givesBackWhatIdles() {
    Driver it = new Driver(tenant(9)).submit("guest-four", "f0");
    it.join(Driver.node("c0", "cloud", 8)).run().exit("f0", 0);
    assertThat(it.wakeAt).contains(it.now.plus(IDLE));
    it.after(IDLE).pass();
    assertThat(it.effects(Effect.ReleaseNode.class))
        .extracting(effect -> effect.node().name())
        .containsExactly("c0");
    it.forget().submit("guest-four", "f1");
    assertThat(it.state("f1")).isEqualTo(JobState.WAITING);
    assertThat(asked(it)).containsExactly(1);
  }

  @Test
  void countsIdlingAnewWhenItBecomesElasticAgain() {
    TenantBuilder notElastic =
        tenant(9).changePool("cloud", p -> p.with().elasticity(Optional.empty()).build());
    Driver it = new Driver(tenant(9)).join(Driver.node("c0", "cloud", 8)).after(IDLE);
    // Both in one batch: for a moment no job waited for the instance to idle.
    it.decide(
        new Input.CatalogChanged(notElastic.build()), new Input.CatalogChanged(tenant(9).build()));
    assertThat(it.effects(Effect.ReleaseNode.class)).isEmpty();
    assertThat(it.wakeAt).contains(it.now.plus(IDLE));
    it.after(IDLE).pass();
    assertThat(it.effects(Effect.ReleaseNode.class)).hasSize(1);
  }

  @Test
  void anEntitledJobWaitsForTheProviderBeforeItPreempts() {
    Driver it =
        new Driver(tenant(9))
            .join(Driver.node("n", "onprem", 4))
            .submit("guest-four", "g0")
            .settle()
            .forget();
    it.submit("dev-four", "d0");
    assertThat(it.stopped()).isEmpty();
    assertThat(asked(it)).containsExactly(1);
    assertThat(it.wakeAt).contains(it.now.plus(Duration.ofMinutes(5)));
    it.after(Duration.ofMinutes(5)).pass();
    assertThat(it.stopped()).containsExactly("g0");
  }

  @Test
  void preemptsAtOnceWhenTheProviderCannotHelp() {
    Driver it =
        new Driver(tenant(0))
            .join(Driver.node("n", "onprem", 4))
            .submit("guest-four", "g0")
            .settle()
            .forget();
    assertThat(it.submit("dev-four", "d0").stopped()).containsExactly("g0");
  }

  @Test
  void aGangThatThePoolCannotGrowForPreemptsAtOnce() {
    Driver it =
        new Driver(
                tenant(1)
                    .profile("gang", "8", 2, 0, "onprem", "cloud")
                    .policy("dev", "16", "32")
                    .queue("dev-gang", "dev", "gang", 1))
            .join(Driver.node("n", "onprem", 8), Driver.node("m", "onprem", 8))
            .submit("guest-four", "g0", "g1", "g2", "g3")
            .settle()
            .forget();
    assertThat(it.submit("dev-gang", "d0").stopped()).hasSize(4);
  }

  @Test
  void whatFitsNoInstanceNeverFits() {
    Driver it =
        new Driver(tenant(9).profile("nine", "9", "cloud").queue("guest-nine", "guest", "nine", 1));
    it.submit("guest-nine", "x");
    assertThat(it.denial()).isInstanceOf(Denial.NoNodeFits.class);
  }

  @Test
  void oneThatHoldsIsAskedForAsWell() {
    // Blocked for so long that what the other leaves is held for it (O7).
    Driver it = new Driver(tenant(0)).join(Driver.node("n", "onprem", 4)).settle();
    it.submit(it.timed("g0", "guest-four", Duration.ofHours(1))).settle();
    it.submit("guest-four", "g1").after(Duration.ofMinutes(10)).pass();
    assertThat(it.reason("g1").code()).isEqualTo("HOLDING");
    it.forget().provision(tenant(9));
    assertThat(asked(it)).containsExactly(1);
    it.join(Driver.node("c0", "cloud", 8));
    assertThat(it.pool("g1")).isEqualTo("cloud");
  }

  @Test
  void aCopyGoesOnAlike() {
    Driver it = new Driver(tenant(9)).submit("guest-four", "f0").forget();
    it.core = it.core.copy();
    it.pass();
    assertThat(it.effects).isEmpty();
    assertThat(it.reason("f0").code()).isEqualTo("WAITING_FOR_PROVIDER");
  }

  @Test
  void patienceBeginsWhenAnInstanceIsLost() {
    Duration delay = Duration.ofMinutes(5);
    Driver it =
        new Driver(tenant(1).changeProfile("four", p -> p.with().preemptionDelay(delay).build()));
    it.join(Driver.node("a", "onprem", 4)).submit("guest-four", "g0", "g1").run();
    it.join(Driver.node("c0", "cloud", 8)).run();
    // All instances are there; an hour later the only one is lost.
    it.after(Duration.ofHours(1));
    it.decide(
        new Input.NodeRemoved(Driver.node("c0", "cloud", 8).id()),
        new Input.JobSubmitted(it.spec("d", "dev-four")));
    assertThat(it.stopped()).isEmpty();
    it.after(delay).pass();
    assertThat(it.stopped()).containsExactly("g0");
  }

  /// One instance comes, and an idle one is given back at the same time. A job that had its turn in
  /// between found room on both, and misses the second one afterwards.
  @Test
  void patienceBeginsAnewWhenAnotherIsGivenBack() {
    Duration delay = Duration.ofMinutes(5);
    Driver it =
        new Driver(
            tenant(3)
                .changeProfile(
                    "four",
                    p -> p.with().preemptionDelay(delay).holdAfter(Duration.ofDays(1)).build())
                .policy("dev", "8", "32"));
    it.join(Driver.node("n", "onprem", 4), Driver.node("c0", "cloud", 0));
    it.submit("guest-four", "g0", "g1").run().after(Duration.ofMinutes(1));
    it.submit("dev-four", "d0", "d1").after(delay).pass();
    assertThat(it.stopped()).containsExactly("g0");
    it.after(IDLE.minus(Duration.ofMinutes(6))).join(Driver.node("c1", "cloud", 4));
    assertThat(it.place("d0")).startsWith("c1:");
    assertThat(it.effects(Effect.ReleaseNode.class)).hasSize(1);
    assertThat(it.wakeAt).contains(it.now.plus(delay));
    it.forget().pass();
    assertThat(it.effects).isEmpty();
    it.after(delay).pass();
    assertThat(it.core.hold(it.id("d1"))).isPresent();
  }
}
