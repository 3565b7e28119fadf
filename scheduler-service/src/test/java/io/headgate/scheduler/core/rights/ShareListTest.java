package io.headgate.scheduler.core.rights;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.scheduler.core.catalog.Policy;
import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.catalog.UserId;
import io.headgate.type.GpuQuantity;
import java.math.BigInteger;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;

class ShareListTest {
  private static PolicyAccount account(long reservation, long usage, int weight) {
    PolicyId id = new PolicyId(new TenantId("t"), "g");
    PolicyAccount account = new PolicyAccount(id);
    account.configure(
        Policy.of(
                id,
                new GpuQuantity(reservation),
                new GpuQuantity(GpuQuantity.MAX_GPUS * GpuQuantity.UNITS_PER_GPU))
            .with()
            .weight(weight)
            .build());
    account.start(new Claim(new UserId("u"), usage, true));
    return account;
  }

  private static ShareList entitled(long... usageAndReservation) {
    ShareList list = new ShareList();
    for (int i = 0; i < usageAndReservation.length; i += 2) {
      PolicyAccount level = account(usageAndReservation[i + 1], usageAndReservation[i], 1);
      list.add(level, Standing.ENTITLED, 1, UseHistory.NONE);
    }
    return list;
  }

  private static ShareList over(long over, int weight) {
    ShareList list = new ShareList();
    list.add(account(5, 5 + over, weight), Standing.OVER_RESERVATION, 1, UseHistory.NONE);
    return list;
  }

  @Test
  void entitledJobsCompareUsageOfTheReservation() {
    assertThat(entitled(1, 4).comparedWith(entitled(1, 3))).isNegative();
    assertThat(entitled(2, 4).comparedWith(entitled(3, 6))).isZero();
    assertThat(entitled(0, 0).comparedWith(entitled(0, 6))).isZero();
    assertThat(entitled(0, 0).comparedWith(entitled(1, 6))).isNegative();
  }

  @Test
  void otherJobsCompareUseAboveTheReservationByWeight() {
    assertThat(over(2, 1).comparedWith(over(3, 2))).isPositive();
    assertThat(over(2, 1).comparedWith(over(4, 2))).isZero();
  }

  @Test
  void anEntitledJobThatNeedsNoGpuHasZeros() {
    ShareList none = new ShareList();
    none.add(account(4, 3, 1), Standing.ENTITLED, 0, UseHistory.NONE);
    assertThat(none.comparedWith(entitled(0, 4))).isZero();
  }

  @Test
  void theFirstSharesThatDifferDecideAndAListThatEndsComesFirst() {
    assertThat(entitled(1, 4, 9, 9).comparedWith(entitled(1, 3, 0, 9))).isNegative();
    assertThat(entitled(1, 4, 2, 9).comparedWith(entitled(1, 4, 1, 9))).isPositive();
    assertThat(entitled(1, 4).comparedWith(entitled(1, 4, 0, 9))).isNegative();
    assertThat(entitled(1, 4, 1, 4, 2, 4).comparedWith(entitled(1, 4, 1, 4, 1, 4))).isPositive();
  }

  @Test
  void comparesExactlyWhereProductsExceedALong() {
    RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(11);
    for (int i = 0; i < 20_000; i++) {
      long reservation = 1 + random.nextLong(1L << 40);
      long other = reservation + random.nextLong(-3, 4);
      long usage = random.nextLong(reservation + 1);
      long othersUsage = Math.max(0, usage + random.nextLong(-3, 4));
      if (other > 0) {
        int exact =
            BigInteger.valueOf(usage)
                .multiply(BigInteger.valueOf(other))
                .compareTo(
                    BigInteger.valueOf(othersUsage).multiply(BigInteger.valueOf(reservation)));
        assertThat(
                Integer.signum(
                    entitled(usage, reservation).comparedWith(entitled(othersUsage, other))))
            .as("seed 11: %d/%d and %d/%d", usage, reservation, othersUsage, other)
            .isEqualTo(exact);
      }
    }
  }
}
