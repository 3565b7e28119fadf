package io.headgate.scheduler.core.rights;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.headgate.scheduler.core.catalog.Policy;
import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.catalog.UserId;
import io.headgate.scheduler.core.job.PastUse;
import io.headgate.type.GpuQuantity;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class UseHistoryTest {
  private static final TenantId TENANT = new TenantId("t");
  private static final long GPU = GpuQuantity.UNITS_PER_GPU;
  private static final Duration HALF_LIFE = Duration.ofHours(10);

  private final UseHistory history = new UseHistory(new PoolId(TENANT, "p"));
  private final PolicyAccount policy = policy();
  private Instant now = Instant.parse("2026-01-01T00:00:00Z");

  private static PolicyAccount policy() {
    PolicyId id = new PolicyId(TENANT, "g");
    PolicyAccount account = new PolicyAccount(id);
    account.configure(Policy.of(id, new GpuQuantity(GPU), new GpuQuantity(99 * GPU)));
    return account;
  }

  private List<PastUse> decide(long gpus) {
    history.begin(now);
    Claim claim = new Claim(new UserId("u"), Math.abs(gpus) * GPU, true);
    if (gpus > 0) {
      policy.start(claim);
    } else if (gpus < 0) {
      policy.end(claim, false);
    }
    return history.renew(List.of(policy));
  }

  private void after(Duration time) {
    now = now.plus(time);
  }

  private double average() {
    history.begin(now);
    return history.unitsByWeight(policy) / (double) GPU;
  }

  @Test
  void eightGpusForAHalfLifeAverageFour() {
    history.configure(Optional.of(HALF_LIFE));
    decide(9);
    assertThat(average()).isZero();

    after(HALF_LIFE);

    assertThat(average()).isEqualTo(4);
  }

  @Test
  void aHalfLifeLaterHalfOfItIsLeft() {
    history.configure(Optional.of(HALF_LIFE));
    decide(9);
    after(HALF_LIFE);
    decide(-9);
    after(HALF_LIFE);

    assertThat(average()).isEqualTo(2);
  }

  @Test
  void decisionsInBetweenChangeNothing() {
    history.configure(Optional.of(HALF_LIFE));
    decide(9);
    for (int i = 0; i < 36_000; i++) {
      after(Duration.ofSeconds(1));
      decide(1);
      decide(-1);
    }

    assertThat(average()).isCloseTo(4, within(1e-5));
  }

  @Test
  void onlyChangesOfUseAreTold() {
    history.configure(Optional.of(HALF_LIFE));
    assertThat(decide(1)).as("within the reservation").isEmpty();
    assertThat(decide(1)).hasSize(1);
    after(HALF_LIFE);
    assertThat(decide(0)).isEmpty();

    assertThat(decide(-1))
        .containsExactly(
            new PastUse(
                new PoolId(TENANT, "p"),
                new PastUse.Level.OfPolicy(policy.id()),
                GPU / 2.0,
                0,
                now));
  }

  @Test
  void anotherHalfLifeKeepsTheAverage() {
    history.configure(Optional.of(HALF_LIFE));
    decide(9);
    after(HALF_LIFE);
    history.begin(now);
    history.configure(Optional.of(Duration.ofHours(1)));

    assertThat(history.renew(List.of(policy))).hasSize(1);
    assertThat(average()).isEqualTo(4);
    after(Duration.ofHours(1));
    assertThat(average()).isEqualTo(6);
  }

  @Test
  void nothingIsLeftOfItWithoutAHalfLifeOrLevel() {
    history.configure(Optional.of(HALF_LIFE));
    decide(9);
    after(HALF_LIFE);
    history.begin(now);
    assertThat(history.renew(List.of())).allMatch(PastUse::isNothing).hasSize(1);
    decide(0);
    history.configure(Optional.empty());

    assertThat(history.renew(List.of(policy))).allMatch(PastUse::isNothing).hasSize(1);
    assertThat(history.isEmpty()).isTrue();
  }
}
