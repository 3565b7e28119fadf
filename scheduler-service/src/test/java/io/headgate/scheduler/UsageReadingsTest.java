package io.headgate.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.scheduler.Gauges.Reading;
import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.ledger.Split;
import io.headgate.scheduler.core.ledger.UsageTotals;
import io.headgate.scheduler.core.usage.PolicyUsage;
import io.headgate.type.GpuQuantity;
import io.opentelemetry.api.common.Attributes;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class UsageReadingsTest {
  private static final TenantId ACME = new TenantId("acme");
  private static final long GPU_SECOND = 126_000L * 1_000;

  /// The last by name has lost 7 GPU-seconds.
  private static List<Reading> lost(int policies) {
    UsageTotals.Use use =
        new UsageTotals.Use(
            id(policies - 1),
            new PoolId(ACME, "onprem"),
            Split.NONE,
            Split.NONE,
            7 * GPU_SECOND,
            0,
            Optional.empty());
    return FairSeries.bound(
            UsageReadings.of(
                new UsageTotals(List.of(use), List.of()),
                IntStream.range(0, policies).mapToObj(UsageReadingsTest::usage).toList()))
        .stream()
        .filter(reading -> reading.name().equals(MetricNames.PREEMPTION_LOST))
        .toList();
  }

  private static PolicyId id(int number) {
    return new PolicyId(ACME, "policy-%05d".formatted(number));
  }

  private static PolicyUsage usage(int number) {
    GpuQuantity zero = GpuQuantity.ZERO;
    return new PolicyUsage(id(number), zero, zero, zero, zero, zero, zero, zero, 0, 0);
  }

  private static Reading reading(int number, double seconds) {
    return new Reading(
        MetricNames.PREEMPTION_LOST,
        seconds,
        Attributes.of(MetricNames.TENANT, ACME.name(), MetricNames.POLICY, id(number).name()));
  }

  @Test
  void policiesThatLostNothingHaveLostZero() {
    assertThat(lost(2)).containsExactly(reading(0, 0), reading(1, 7));
    assertThat(lost(FairSeries.MOST)).hasSize(FairSeries.MOST);
  }

  @Test
  void whatWasLostIsNotPushedOutByPoliciesThatLostNothing() {
    assertThat(lost(FairSeries.MOST + 500)).containsExactly(reading(FairSeries.MOST + 499, 7));
  }
}
