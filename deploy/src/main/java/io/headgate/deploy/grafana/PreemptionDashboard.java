package io.headgate.deploy.grafana;

import static io.headgate.deploy.grafana.Promql.all;
import static io.headgate.deploy.grafana.Promql.chosen;
import static io.headgate.deploy.grafana.Promql.increase;
import static io.headgate.deploy.grafana.Promql.max;
import static io.headgate.deploy.grafana.Promql.quantile;
import static io.headgate.deploy.grafana.Promql.rate;
import static io.headgate.deploy.grafana.Promql.sum;
import static io.headgate.scheduler.MetricNames.BY_POLICY;
import static io.headgate.scheduler.MetricNames.EFFECT;
import static io.headgate.scheduler.MetricNames.OUTCOME;
import static io.headgate.scheduler.MetricNames.PHASE;
import static io.headgate.scheduler.MetricNames.POLICY;
import static io.headgate.scheduler.MetricNames.POOL;
import static io.headgate.scheduler.MetricNames.RULE;

import io.headgate.scheduler.MetricNames;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// 4: which jobs have to go for which, how they stop, and what it costs.
final class PreemptionDashboard {
  static final String ID = "headgate-preemption";

  /// The result of a phase that took longer than it may.
  static final String TIMED_OUT = "timed-out";

  private PreemptionDashboard() {}

  static Dashboard make() {
    return new Dashboard(
        ID,
        "Headgate / 4 Preemption and reclaim",
        "Which jobs are preempted for which, how they stop, and what that costs.",
        Annotations.ALL,
        List.of(
            Row.of("Preemptions", byRule(), matrix()),
            Row.of("Stops", phases("median", 0.5), phases("p99", 0.99), timeouts()),
            Row.of("Cost", lost(), perStart()),
            Row.of("Holds", held(), age())));
  }

  private static Panel byRule() {
    return Panel.lines("Preemptions by rule", Unit.PER_SECOND, "Preempted jobs a second, by rule.")
        .asks("headgate events --since 24h")
        .watches("P1")
        .query(Query.range(Query.by(RULE), sum(rate(chosen(MetricNames.PREEMPTIONS)), RULE)));
  }

  private static Panel matrix() {
    Map<String, String> columns = new LinkedHashMap<>();
    columns.put(Promql.label(BY_POLICY), "preemptor (empty: of another tenant)");
    columns.put(Promql.label(POLICY), "victim");
    columns.put(Promql.label(RULE), "rule");
    columns.put("jobs", "preempted jobs");
    return Panel.table(
            "For whom jobs had to go",
            Unit.JOBS,
            "Preempted jobs of the chosen period, by the policy of the preemptor and of the victim."
                + " The first preemption after the scheduler's start is not counted.",
            columns)
        .asks("headgate events --since 24h")
        .watches("P2")
        .query(
            Query.row(
                "jobs",
                Promql.whole(
                    sum(
                        increase(chosen(MetricNames.PREEMPTIONS), Promql.RANGE),
                        BY_POLICY,
                        POLICY,
                        RULE))));
  }

  private static Panel phases(String name, double quantile) {
    return Panel.lines(
            "Time of stop phases, " + name,
            Unit.SECONDS,
            "Phases of the stop of preempted jobs: suspend, abort callback, SIGTERM, SIGKILL,"
                + " cleanup. Their sum is how long the preemptor waits.")
        .asks("headgate events --job JOB")
        .watches("P8")
        .size(8, 8)
        .query(
            Query.quantile(
                Query.by(PHASE), quantile(quantile, chosen(MetricNames.STOP_DURATION), PHASE)));
  }

  private static Panel timeouts() {
    Promql.Series callbacks = chosen(MetricNames.STOP_DURATION).count().is(PHASE, "callback");
    return Panel.lines(
            "Callbacks that took too long",
            Unit.SHARE,
            "The part of abort callbacks that did not end within their grace. Their jobs lose the"
                + " work since the last checkpoint.")
        .asks("headgate events --since 24h")
        .watches("P8")
        .size(8, 8)
        .thresholds(Threshold.rising(0.01, 0.05))
        .query(
            Query.range(
                "timed out",
                "(%s or vector(0)) / (%s > 0)"
                    .formatted(sum(rate(callbacks.is(OUTCOME, TIMED_OUT))), sum(rate(callbacks)))));
  }

  private static Panel lost() {
    return Panel.lines(
            "GPU-hours lost by preemption",
            Unit.GPU_HOURS,
            "Work since the last checkpoint that preemption lost, for each hour, by the victims'"
                + " policy.")
        .asks("headgate usage --by policy")
        .watches("P4")
        .query(
            Query.range(Query.by(POLICY), sum(rate(chosen(MetricNames.PREEMPTION_LOST)), POLICY)));
  }

  private static Panel perStart() {
    return Panel.lines(
            "Preemptions per start",
            Unit.RATIO,
            "Preempted jobs for each started one, of all tenants. A value that stays near 1 says"
                + " that jobs push each other away. No metric names a job, so the jobs are found"
                + " on the command line.")
        .asks("headgate events --since 24h")
        .watches("P5")
        .query(
            Query.range(
                "preemptions per start",
                "(%s or vector(0)) / (%s > 0)"
                    .formatted(
                        sum(rate(all(MetricNames.DECISIONS).is(EFFECT, "preempt"))),
                        sum(rate(all(MetricNames.DECISIONS).is(EFFECT, "start"))))));
  }

  private static Panel held() {
    return Panel.area(
            "Held GPUs",
            Unit.GPUS,
            "Free GPUs that are kept for a named job, by pool: until its victims have left, or"
                + " because it was blocked for too long.")
        .asks("headgate pools")
        .watches("P5")
        .query(Query.range(Query.by(POOL), sum(chosen(MetricNames.POOL_HELD), POOL)));
  }

  private static Panel age() {
    return Panel.lines("Oldest hold", Unit.SECONDS, "Age of the oldest hold of each pool; 0: none.")
        .asks("headgate jobs --all --state WAITING")
        .watches("O7")
        .query(Query.range(Query.by(POOL), max(chosen(MetricNames.HOLD_AGE), POOL)));
  }
}
