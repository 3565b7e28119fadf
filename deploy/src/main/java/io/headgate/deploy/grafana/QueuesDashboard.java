package io.headgate.deploy.grafana;

import static io.headgate.deploy.grafana.Promql.chosen;
import static io.headgate.deploy.grafana.Promql.increase;
import static io.headgate.deploy.grafana.Promql.max;
import static io.headgate.deploy.grafana.Promql.orZero;
import static io.headgate.deploy.grafana.Promql.quantile;
import static io.headgate.deploy.grafana.Promql.rate;
import static io.headgate.deploy.grafana.Promql.sum;
import static io.headgate.scheduler.MetricNames.DIRECTION;
import static io.headgate.scheduler.MetricNames.ENTITLED;
import static io.headgate.scheduler.MetricNames.ETA_ERROR;
import static io.headgate.scheduler.MetricNames.OUTCOME;
import static io.headgate.scheduler.MetricNames.POOL;
import static io.headgate.scheduler.MetricNames.QUEUE;
import static io.headgate.scheduler.MetricNames.REASON;
import static io.headgate.scheduler.MetricNames.RUN_DURATION;
import static io.headgate.scheduler.MetricNames.STATE;
import static io.headgate.scheduler.MetricNames.WAIT_DURATION;

import io.headgate.scheduler.MetricNames;
import java.util.List;

/// 3: what waits, for how long, and for which reason.
final class QueuesDashboard {
  static final String ID = "headgate-queues";

  private QueuesDashboard() {}

  static Dashboard make() {
    return new Dashboard(
        ID,
        "Headgate / 3 Queues and waiting",
        "Which jobs wait, for how long, and for which reason.",
        Annotations.ALL,
        List.of(
            Row.of("Waiting", neverFits(), reasons(), byQueue(), oldest()),
            Row.of(
                "Times of waiting",
                waits("Wait of entitled jobs", "true"),
                waits("Wait of other jobs", "false")),
            Row.of("Starts and ends", starts(), ends(), runs()),
            Row.of(
                "Expected starts",
                etaErrors("Started later than first told", "late"),
                etaErrors("Started earlier than first told", "early"),
                holds(),
                holdAge())));
  }

  private static Panel reasons() {
    return Panel.area(
            "Waiting jobs by reason",
            Unit.JOBS,
            "The waiting jobs of each queue count under the reason of its first job.")
        .asks("headgate queues")
        .size(20, 8)
        .query(Query.range(Query.by(REASON), sum(chosen(MetricNames.QUEUE_WAITING), REASON)));
  }

  private static Panel neverFits() {
    return Panel.stat(
            "Never fits",
            Unit.JOBS,
            "Waiting jobs of queues whose first job fits on no node. They wait until the hardware"
                + " or the job changes.")
        .asks("headgate explain QUEUE")
        .watches("A6")
        .size(4, 8)
        .thresholds(Threshold.MUST_BE_ZERO)
        .query(
            Query.range(
                "jobs", orZero(sum(chosen(MetricNames.QUEUE_WAITING).is(REASON, "NEVER_FITS")))));
  }

  private static Panel byQueue() {
    return Panel.area("Waiting jobs by queue", Unit.JOBS, "Jobs that wait, by queue.")
        .asks("headgate queues")
        .query(
            Query.range(
                Query.by(QUEUE), sum(chosen(MetricNames.QUEUE_JOBS).is(STATE, "waiting"), QUEUE)));
  }

  private static Panel oldest() {
    return Panel.lines(
            "Oldest waiting job",
            Unit.SECONDS,
            "Time since the submission of the oldest waiting job, of the ten queues where it is"
                + " longest.")
        .asks("headgate explain QUEUE")
        .query(
            Query.range(
                Query.by(QUEUE),
                "topk(10, " + max(chosen(MetricNames.QUEUE_OLDEST_AGE), QUEUE) + ")"));
  }

  private static Panel waits(String title, String entitled) {
    Promql.Series waits = chosen(WAIT_DURATION).is(ENTITLED, entitled);
    return Panel.lines(
            title,
            Unit.SECONDS,
            "Time that jobs waited before they started, by quantiles. The points are traces of"
                + " single jobs.")
        .asks("headgate jobs --all")
        .watches("O1")
        .query(
            Query.quantile("median", quantile(0.5, waits)),
            Query.quantile("p95", quantile(0.95, waits)),
            Query.quantile("p99", quantile(0.99, waits)));
  }

  private static Panel starts() {
    return Panel.lines("Starts", Unit.PER_SECOND, "Started attempts a second, by queue.")
        .asks("headgate events")
        .size(8, 8)
        .query(Query.range(Query.by(QUEUE), sum(rate(chosen(WAIT_DURATION).count()), QUEUE)));
  }

  private static Panel ends() {
    return Panel.lines("Ended jobs", Unit.PER_SECOND, "Ended jobs a second, by their final state.")
        .asks("headgate events")
        .size(8, 8)
        .query(Query.range(Query.by(OUTCOME), sum(rate(chosen(MetricNames.FINISHED)), OUTCOME)));
  }

  private static Panel runs() {
    Promql.Series runs = chosen(RUN_DURATION);
    return Panel.lines("Run time", Unit.SECONDS, "Time that attempts ran, by quantiles.")
        .asks("headgate jobs --all")
        .size(8, 8)
        .query(
            Query.quantile("median", quantile(0.5, runs)),
            Query.quantile("p95", quantile(0.95, runs)));
  }

  private static Panel etaErrors(String title, String direction) {
    return Panel.heatmap(
            title,
            Unit.SECONDS,
            "Time between the expected start that was first shown and the start, and how many jobs"
                + " had it.")
        .asks("headgate jobs --all --start")
        .watches("O7")
        .query(
            Query.heatmap(
                "sum by (le) ("
                    + increase(
                        chosen(ETA_ERROR).is(DIRECTION, direction).part("_bucket"), Promql.RATE)
                    + ")"));
  }

  private static Panel holds() {
    return Panel.area(
            "Jobs with a hold", Unit.JOBS, "Waiting jobs for which slices of a pool are held.")
        .asks("headgate jobs --all --state WAITING")
        .watches("O7")
        .query(Query.range(Query.by(POOL), sum(chosen(MetricNames.HOLD_COUNT), POOL)));
  }

  private static Panel holdAge() {
    return Panel.lines("Oldest hold", Unit.SECONDS, "Age of the oldest hold of each pool; 0: none.")
        .asks("headgate explain JOB")
        .watches("O7")
        .query(Query.range(Query.by(POOL), max(chosen(MetricNames.HOLD_AGE), POOL)));
  }
}
