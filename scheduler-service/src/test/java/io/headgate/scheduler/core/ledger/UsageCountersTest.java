package io.headgate.scheduler.core.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.catalog.TenantId;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class UsageCountersTest {
  private static final TenantId ACME = new TenantId("acme");
  private static final PolicyId POLICY = new PolicyId(ACME, "dev");
  private static final PoolId POOL = new PoolId(ACME, "onprem");
  private static final Instant BEGIN = Instant.parse("2026-11-27T00:00:00Z");
  private static final long GPU = 126_000;
  private static final Optional<Price> PRICE =
      Optional.of(new Price(new BigDecimal("1.20"), "EUR"));

  private final UsageCounters counters = new UsageCounters();

  @Test
  void growWithTimeBetweenChanges() {
    counters.begin(BEGIN);
    counters.count(POLICY, POOL, Split.NONE, new Split(2 * GPU, GPU, 0), PRICE, BEGIN);
    counters.count(
        POLICY, POOL, new Split(0, GPU, 0), Split.NONE, PRICE, BEGIN.plus(Duration.ofHours(1)));

    UsageTotals.Use use = counters.totals(BEGIN.plus(Duration.ofHours(3))).uses().getFirst();

    assertThat(use.present()).isEqualTo(new Split(2 * GPU, 0, 0));
    assertThat(use.used()).isEqualTo(new Split(6 * GPU * 3_600_000, GPU * 3_600_000, 0));
    assertThat(use.cost()).isCloseTo(7 * 1.2, within(1e-9));
    assertThat(use.currency()).hasValue("EUR");
  }

  /// Otherwise a scrape would count again what the leader before has counted.
  @Test
  void whatWasRestoredCountsFromTheFirstSettlementOn() {
    counters.count(POLICY, POOL, Split.NONE, new Split(GPU, 0, 0), PRICE, Instant.MIN);
    counters.count(POOL, new PoolBalance(2 * GPU, new Split(GPU, 0, 0), 0, GPU, 0, 0), Instant.MIN);
    counters.begin(BEGIN);

    UsageTotals totals = counters.totals(BEGIN.plusMillis(10));

    assertThat(totals.uses().getFirst().used()).isEqualTo(new Split(10 * GPU, 0, 0));
    assertThat(totals.pools()).containsExactly(new UsageTotals.Rest(POOL, 0, 10 * GPU, 0));
  }
}
