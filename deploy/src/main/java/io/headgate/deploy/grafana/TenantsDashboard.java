package io.headgate.deploy.grafana;

import static io.headgate.deploy.grafana.Promql.chosen;
import static io.headgate.deploy.grafana.Promql.increase;
import static io.headgate.deploy.grafana.Promql.rate;
import static io.headgate.deploy.grafana.Promql.sum;
import static io.headgate.scheduler.MetricNames.POOL;
import static io.headgate.scheduler.MetricNames.TENANT;
import static io.headgate.scheduler.MetricNames.USAGE_KIND;

import io.headgate.scheduler.MetricNames;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// 9: what tenants use, for the operator of the platform.
final class TenantsDashboard {
  static final String ID = "headgate-tenants";

  private static final Promql.Series USED =
      chosen(MetricNames.GPU_TIME).like(USAGE_KIND, "entitled|over_reservation|above_limit");

  private TenantsDashboard() {}

  static Dashboard make() {
    return new Dashboard(
        ID,
        "Headgate / 9 Tenants",
        "What each tenant uses and pays, of its own pools and of shared ones.",
        List.of(),
        List.of(
            Row.of("Checks", identity(), ledger(), leftOut()),
            Row.of("Use", use(), shared(), top(), growth()),
            Row.of("Waiting", reclaim(), demand())));
  }

  private static Panel identity() {
    return Panel.stat(
            "Capacity error",
            Unit.GPUS,
            "Capacity less used, held and idle GPUs, of all chosen pools. It must be 0.")
        .asks("headgate pools")
        .thresholds(Threshold.rising(0.001, 0.01))
        .size(6, 5)
        .query(
            Query.range(
                "error",
                "abs(%s - %s - %s - %s)"
                    .formatted(
                        sum(chosen(MetricNames.POOL_CAPACITY)),
                        sum(chosen(MetricNames.POOL_USED)),
                        sum(chosen(MetricNames.POOL_HELD)),
                        sum(chosen(MetricNames.POOL_IDLE)))));
  }

  private static Panel ledger() {
    return Panel.lines(
            "Used GPUs, counted two ways",
            Unit.GPUS,
            "The gauge of pools, and the average of the ledger from which bills are made. They"
                + " agree but for the width of the interval.")
        .asks("headgate usage --since 1d --check")
        .size(12, 5)
        .query(
            Query.range("pools", sum(chosen(MetricNames.POOL_USED))),
            Query.range("ledger", sum(rate(USED))));
  }

  private static Panel leftOut() {
    return Panel.stat(
            "Series left out",
            Unit.COUNT,
            "Series that tenants have beyond the bound of exported ones. It must be 0 for complete"
                + " panels.")
        .explainedBy("docs/reference/metrics.md")
        .thresholds(Threshold.MUST_BE_ZERO)
        .size(6, 5)
        .query(Query.range("series", Promql.orZero(sum(chosen(MetricNames.SERIES_LEFT_OUT)))));
  }

  private static Panel use() {
    return Panel.area("GPUs by tenant", Unit.GPUS, "The average of used GPUs, from the ledger.")
        .asks("headgate usage --all-tenants")
        .query(Query.range(Query.by(TENANT), sum(rate(USED), TENANT)));
  }

  private static Panel shared() {
    return Panel.area(
            "Use of shared pools",
            Unit.GPUS,
            "Used GPUs of the platform's pools, by tenant and by right. Over-reservation use is"
                + " borrowed from the other tenants.")
        .asks("headgate usage --by pool")
        .explainedBy("docs/operations/shared-pools.md")
        .watches("A3")
        .query(
            Query.range(
                Query.by(TENANT, POOL) + " {{" + Promql.label(USAGE_KIND) + "}}",
                sum(rate(USED.like(POOL, "platform/.*")), TENANT, POOL, USAGE_KIND)));
  }

  private static Panel top() {
    Map<String, String> columns = new LinkedHashMap<>();
    columns.put(Promql.label(TENANT), "tenant");
    columns.put("hours", "GPU-hours of the period");
    return Panel.table(
            "GPU-hours by tenant",
            Unit.GPU_HOURS,
            "Of the chosen period, an estimate from samples. The command counts exactly.",
            columns)
        .asks("headgate usage --all-tenants")
        .query(
            Query.row(
                "hours", "topk(20, " + sum(increase(USED, Promql.RANGE), TENANT) + " / 3600)"));
  }

  private static Panel growth() {
    return Panel.lines(
            "Growth over a week",
            Unit.RATIO,
            "GPU-hours of the last day by those of the same day a week before. It needs eight days"
                + " of data.")
        .asks("headgate usage --since 8d --all-tenants")
        .query(
            Query.range(
                Query.by(TENANT),
                "%s / (%s > 0)"
                    .formatted(
                        sum(increase(USED, "1d"), TENANT),
                        sum("increase(" + USED + "[1d] offset 7d)", TENANT))));
  }

  private static Panel reclaim() {
    return Panel.lines(
            "Wait of entitled jobs, p95",
            Unit.SECONDS,
            "How long a tenant's entitled jobs waited: mostly for victims to stop.")
        .asks("headgate usage --reservations")
        .watches("P1")
        .query(
            Query.quantile(
                Query.by(TENANT),
                Promql.quantile(
                    0.95,
                    chosen(MetricNames.WAIT_DURATION).is(MetricNames.ENTITLED, "true"),
                    TENANT)));
  }

  private static Panel demand() {
    return Panel.area("Demand by tenant", Unit.GPUS, "GPUs that waiting jobs ask for.")
        .asks("headgate jobs --all --state WAITING")
        .query(Query.range(Query.by(TENANT), sum(chosen(MetricNames.POLICY_DEMAND), TENANT)));
  }
}
