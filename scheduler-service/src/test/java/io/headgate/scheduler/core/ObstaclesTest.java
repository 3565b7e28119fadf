package io.headgate.scheduler.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.scheduler.core.explain.Finding;
import io.headgate.scheduler.core.explain.Obstacle;
import io.headgate.scheduler.core.explain.Reason;
import io.headgate.scheduler.runtime.text.ReasonText;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// The obstacles that an entitled job names (P4), in a pool that tenants share: nothing of one
/// tenant is visible in another, not even the kinds of its jobs.
class ObstaclesTest {
  /// `red` and `blue` have 3 GPUs each, in part by jobs that are never victims, in part by
  /// protected ones. Their other jobs need 4 GPUs, by one profile.
  private static Driver shared(boolean isBluePreemptible) {
    TenantBuilder tenant =
        new TenantBuilder().pool("pool").profile("one", "1", "pool").profile("four", "4", "pool");
    for (String name : new String[] {"red", "blue"}) {
      tenant
          .policyOf(name, name, "8", "8")
          .policyOf(name, name + "-over", "0", "8")
          .minRuntime(name + "-over", Duration.ofHours(name.equals("red") ? 1 : 3))
          .policyOf(name, name + "-fixed", "1", "8")
          .queue(name + "-four", name, "four", 1)
          .queue(name + "-over", name + "-over", "one", 1)
          .queue(name + "-fixed", name + "-fixed", "one", 1)
          .share(name, "pool", "7", "");
    }
    tenant.nonPreemptible("red-fixed");
    if (!isBluePreemptible) {
      tenant.nonPreemptible("blue-fixed");
    }
    return new Driver(tenant)
        .join(Driver.node("n", "pool", 6))
        .submit("red-fixed", "r0")
        .submit("blue-fixed", "b0")
        .submit("red-over", "r1", "r2")
        .submit("blue-over", "b1", "b2")
        .run()
        .submit("red-four", "red")
        .submit("blue-four", "blue")
        .settle();
  }

  private static String blockedBy(Driver it, String job) {
    return ReasonText.detail(it.reason(job)).getOrDefault("blockedBy", "");
  }

  private static Optional<Obstacle> explained(Driver it, String job) {
    return it.core.explain(it.id(job)).orElseThrow().preempts().stream()
        .map(check -> check.finding())
        .filter(Finding.InTheWay.class::isInstance)
        .map(finding -> ((Finding.InTheWay) finding).obstacle())
        .findFirst();
  }

  @Test
  void jobsOfOtherTenantsAreCountedWhateverTheyAre() {
    Driver it = shared(false);
    assertThat(it.reason("red")).isInstanceOf(Reason.Capacity.class);
    assertThat(blockedBy(it, "red"))
        .isEqualTo("1 non-preemptible, 2 protected until 2026-01-01T11:00:00Z, 3 of other tenants");
    assertThat(blockedBy(it, "blue"))
        .isEqualTo("1 non-preemptible, 2 protected until 2026-01-01T13:00:00Z, 3 of other tenants");
  }

  @Test
  void anExplanationAndASentenceSayNoMore() {
    Driver it = shared(false);
    for (String job : new String[] {"red", "blue"}) {
      assertThat(explained(it, job).map(Obstacle::toString)).contains(blockedBy(it, job));
      assertThat(ReasonText.sentence(it.reason(job)))
          .endsWith("; in the way: " + blockedBy(it, job));
    }
  }

  /// The job of `blue` is entitled where it is not fixed.
  @Test
  void anotherKindOfJobOfOneTenantChangesNothingForAnother() {
    Driver fixed = shared(false);
    Driver entitled = shared(true);
    assertThat(blockedBy(entitled, "blue")).startsWith("1 entitled, 2 protected");
    assertThat(entitled.reason("red")).isEqualTo(fixed.reason("red"));
    assertThat(explained(entitled, "red")).isEqualTo(explained(fixed, "red"));
  }
}
