package io.headgate.scheduler;

import io.headgate.scheduler.Gauges.Reading;
import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.ledger.UsageTotals;
import io.headgate.scheduler.core.usage.PolicyUsage;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// The readings of GPU time and its cost. A shared pool is named `platform/` and its id.
final class UsageReadings {
  /// Unit-milliseconds of a GPU-second.
  private static final double GPU_SECOND = 126_000.0 * 1000.0;

  private UsageReadings() {}

  /// @param policies all of them. Policies that lost nothing have lost 0, unless they are so many
  ///   that they would push out [series][FairSeries] of policies that lost something
  static List<Reading> of(UsageTotals totals, List<PolicyUsage> policies) {
    List<Reading> readings = new ArrayList<>();
    Map<PolicyId, Long> lost = new TreeMap<>();
    policies.forEach(policy -> lost.put(policy.policy(), 0L));
    for (UsageTotals.Use use : totals.uses()) {
      Attributes of =
          Attributes.of(
              MetricNames.TENANT,
              use.policy().tenant().name(),
              MetricNames.POLICY,
              use.policy().name(),
              MetricNames.POOL,
              use.pool().tenant().equals(use.policy().tenant())
                  ? use.pool().name()
                  : use.pool().toString());
      time(readings, of, "entitled", use.used().entitled());
      time(readings, of, "over_reservation", use.used().overReservation());
      time(readings, of, "above_limit", use.used().aboveLimit());
      time(readings, of, "lost", use.lost());
      use.currency()
          .ifPresent(currency ->
              readings.add(
                  new Reading(
                      MetricNames.GPU_COST,
                      use.cost(),
                      with(of).put(MetricNames.CURRENCY, currency).build())));
      lost.merge(use.policy(), use.lost(), Long::sum);
    }
    if (lost.size() > FairSeries.MOST) {
      lost.values().removeIf(amount -> amount == 0);
    }
    lost.forEach((policy, amount) ->
        readings.add(
            new Reading(
                MetricNames.PREEMPTION_LOST,
                amount / GPU_SECOND,
                Attributes.of(
                    MetricNames.TENANT,
                    policy.tenant().name(),
                    MetricNames.POLICY,
                    policy.name()))));
    for (UsageTotals.Rest rest : totals.pools()) {
      Attributes of =
          Attributes.of(
              MetricNames.TENANT,
              rest.pool().tenant().name(),
              MetricNames.POOL,
              rest.pool().name());
      time(readings, of, "held", rest.held());
      time(readings, of, "idle", rest.idle());
      time(readings, of, "down", rest.down());
    }
    return readings;
  }

  private static AttributesBuilder with(Attributes of) {
    return of.toBuilder();
  }

  private static void time(List<Reading> readings, Attributes of, String kind, long amount) {
    readings.add(
        new Reading(
            MetricNames.GPU_TIME,
            amount / GPU_SECOND,
            with(of).put(MetricNames.USAGE_KIND, kind).build()));
  }
}
