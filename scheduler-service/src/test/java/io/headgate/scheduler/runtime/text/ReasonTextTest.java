package io.headgate.scheduler.runtime.text;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.explain.Reason;
import io.headgate.type.GpuQuantity;
import org.junit.jupiter.api.Test;

class ReasonTextTest {
  @Test
  void aSentenceHasMixedFractionsAndItsNumbersLowestTerms() {
    Reason reason =
        new Reason.Capacity(
            new PoolId(new TenantId("acme"), "onprem"),
            GpuQuantity.ONE,
            GpuQuantity.parse("145/14"));

    assertThat(ReasonText.sentence(reason)).isEqualTo("needs 1 GPU in onprem, 10 5/14 are idle");
    assertThat(ReasonText.detail(reason)).containsEntry("idle", "145/14");
  }
}
