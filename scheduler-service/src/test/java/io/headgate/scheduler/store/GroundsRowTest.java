package io.headgate.scheduler.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.job.PreemptionGrounds;
import io.headgate.scheduler.core.job.Weighing;
import io.headgate.type.GpuQuantity;
import java.time.Duration;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class GroundsRowTest {
  private static final PreemptionGrounds GROUNDS =
      new PreemptionGrounds(share("rnd", "16", "8"), share("ops", "0", "4"), gpus("1/2"));
  private static final String ROW = "acme/rnd 2016000 1008000 acme/ops 0 504000 63000";

  private static PreemptionGrounds.Share share(String policy, String usage, String reservation) {
    return new PreemptionGrounds.Share(
        new PolicyId(new TenantId("acme"), policy), gpus(usage), gpus(reservation));
  }

  private static GpuQuantity gpus(String text) {
    return GpuQuantity.parse(text);
  }

  @Test
  void readsRowsOfBeforeTheWeighing() {
    assertThat(GroundsRow.grounds(ROW)).isEqualTo(GROUNDS);
    assertThat(GroundsRow.grounds(ROW + " 1500"))
        .isEqualTo(GROUNDS.losing(Duration.ofMillis(1500)));
  }

  @ParameterizedTest
  @EnumSource
  void readsWhatItWrites(Weighing.Way way) {
    Weighing large =
        new Weighing(way, 5, 2, gpus("16"), Duration.ofMillis(1500), OptionalInt.of(3));
    Weighing small =
        new Weighing(way, 5, 2, gpus("1/2"), Duration.ofMillis(1500), OptionalInt.empty());

    assertThat(GroundsRow.text(GROUNDS.weighed(large)))
        .isEqualTo(ROW + " " + way + " 5 2 2016000 1500 3");
    for (Weighing each : new Weighing[] {large, small}) {
      PreemptionGrounds grounds = GROUNDS.weighed(each);
      assertThat(GroundsRow.grounds(GroundsRow.text(grounds))).isEqualTo(grounds);
    }
    PreemptionGrounds move = GROUNDS.losing(Duration.ofSeconds(2));
    assertThat(GroundsRow.grounds(GroundsRow.text(move))).isEqualTo(move);
  }

  @Test
  void refusesAnUnknownFormat() {
    assertThatThrownBy(() -> GroundsRow.grounds(ROW + " 1 2"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining(ROW);
  }
}
