package io.headgate.deploy.grafana;

import static io.headgate.deploy.grafana.Promql.chosen;
import static io.headgate.deploy.grafana.Promql.increase;
import static io.headgate.deploy.grafana.Promql.rate;
import static io.headgate.deploy.grafana.Promql.sum;
import static io.headgate.scheduler.MetricNames.CURRENCY;
import static io.headgate.scheduler.MetricNames.POLICY;
import static io.headgate.scheduler.MetricNames.POOL;
import static io.headgate.scheduler.MetricNames.PROFILE;
import static io.headgate.scheduler.MetricNames.USAGE_KIND;

import io.headgate.scheduler.MetricNames;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// 8: what GPU time costs, and what is paid and not used.
final class CostDashboard {
  static final String ID = "headgate-cost";

  private static final String HOUR = " * 3600";
  private static final String PRICED = "Only pools with a price count.";

  private CostDashboard() {}

  static Dashboard make() {
    return new Dashboard(
        ID,
        "Headgate / 8 Cost",
        "What GPU time costs by pool and policy, and how much of it nothing used.",
        List.of(),
        List.of(
            Row.of("Cost", byPolicy(), byPool(), total()),
            Row.of("Budgets", budgets()),
            Row.of("GPU time", hours(), unused(), lost()),
            Row.of("Of the period", byPolicyAndPool(), byProfile())));
  }

  private static Panel byPolicy() {
    return Panel.area("Cost per hour by policy", Unit.MONEY, "Of used GPUs. " + PRICED)
        .asks("headgate usage --by policy --unit cost")
        .query(
            Query.range(
                Query.by(POLICY, CURRENCY),
                sum(rate(chosen(MetricNames.GPU_COST)), POLICY, CURRENCY) + HOUR));
  }

  private static Panel byPool() {
    return Panel.area("Cost per hour by pool", Unit.MONEY, "Of used GPUs. " + PRICED)
        .asks("headgate usage --by pool --unit cost")
        .query(
            Query.range(
                Query.by(POOL, CURRENCY),
                sum(rate(chosen(MetricNames.GPU_COST)), POOL, CURRENCY) + HOUR));
  }

  private static Panel total() {
    return Panel.bars(
            "Cost of the period",
            Unit.MONEY,
            "An estimate from samples, by policy. The command counts exactly, and exports days that"
                + " are final for billing.")
        .asks("headgate usage --export csv")
        .size(24, 7)
        .query(
            Query.now(
                Query.by(POLICY, CURRENCY),
                sum(increase(chosen(MetricNames.GPU_COST), Promql.RANGE), POLICY, CURRENCY)));
  }

  private static Panel budgets() {
    return Panel.lines(
            "Used part of budgets",
            Unit.RATIO,
            "Of the present period; above 100 % where jobs went on after a budget was spent. Each"
                + " budget warns at its own percentage.")
        .asks("headgate budgets")
        .explainedBy("docs/reference/budgets.md")
        .thresholds(Threshold.rising(0.8, 1))
        .size(24, 7)
        .query(
            Query.range(
                Query.by(MetricNames.BUDGET_LEVEL, MetricNames.BUDGET),
                Promql.max(
                    Promql.all(MetricNames.BUDGET_USE),
                    MetricNames.BUDGET_LEVEL,
                    MetricNames.BUDGET)));
  }

  private static Panel hours() {
    return Panel.area(
            "GPUs by policy", Unit.GPUS, "The average of used GPUs, from the ledger of GPU time.")
        .asks("headgate usage --by policy")
        .size(8, 8)
        .query(
            Query.range(
                Query.by(POLICY),
                sum(
                    rate(
                        chosen(MetricNames.GPU_TIME)
                            .like(USAGE_KIND, "entitled|over_reservation|above_limit")),
                    POLICY)));
  }

  private static Panel unused() {
    return Panel.area(
            "GPU-hours of the day that nothing used",
            Unit.GPU_HOURS,
            "Held for a job, idle, or down: of the last 24 hours, at each moment.")
        .asks("headgate usage --since 1d --by pool")
        .size(8, 8)
        .query(
            Query.range(
                Query.by(USAGE_KIND),
                sum(
                        increase(
                            chosen(MetricNames.GPU_TIME).like(USAGE_KIND, "held|idle|down"), "1d"),
                        USAGE_KIND)
                    + " / 3600"));
  }

  private static Panel lost() {
    return Panel.lines(
            "GPU-hours of the day lost by preemption",
            Unit.GPU_HOURS,
            "Work since the last checkpoint that preemption lost, of the last 24 hours.")
        .asks("headgate usage --since 1d --by policy")
        .size(8, 8)
        .watches("P4")
        .query(
            Query.range(
                Query.by(POLICY),
                sum(increase(chosen(MetricNames.PREEMPTION_LOST), "1d"), POLICY) + " / 3600"));
  }

  private static Panel byPolicyAndPool() {
    Map<String, String> columns = new LinkedHashMap<>();
    columns.put(Promql.label(POLICY), "policy");
    columns.put(Promql.label(POOL), "pool");
    columns.put("hours", "GPU-hours of the period");
    return Panel.table(
            "GPU-hours by policy and pool",
            Unit.GPU_HOURS,
            "Of used GPUs, an estimate from samples. The command counts exactly.",
            columns)
        .asks("headgate usage --by policy,pool")
        .size(12, 8)
        .query(
            Query.row(
                "hours",
                sum(
                        increase(
                            chosen(MetricNames.GPU_TIME)
                                .like(USAGE_KIND, "entitled|over_reservation|above_limit"),
                            Promql.RANGE),
                        POLICY,
                        POOL)
                    + " / 3600"));
  }

  private static Panel byProfile() {
    return Panel.bars(
            "GPUs by profile",
            Unit.GPUS,
            "The average over the period of used GPUs, by profile. The command counts GPU-hours"
                + " exactly.")
        .asks("headgate usage --by profile")
        .size(12, 8)
        .query(
            Query.now(
                Query.by(PROFILE),
                sum(
                    "avg_over_time(%s[%s])"
                        .formatted(chosen(MetricNames.PROFILE_USAGE), Promql.RANGE),
                    PROFILE)));
  }
}
