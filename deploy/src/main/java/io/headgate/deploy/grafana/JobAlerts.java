package io.headgate.deploy.grafana;

import static io.headgate.deploy.grafana.Promql.all;
import static io.headgate.deploy.grafana.Promql.max;
import static io.headgate.deploy.grafana.Promql.sum;
import static io.headgate.scheduler.MetricNames.DIRECTION;
import static io.headgate.scheduler.MetricNames.OUTCOME;
import static io.headgate.scheduler.MetricNames.PHASE;
import static io.headgate.scheduler.MetricNames.POLICY;
import static io.headgate.scheduler.MetricNames.POOL;
import static io.headgate.scheduler.MetricNames.QUEUE;
import static io.headgate.scheduler.MetricNames.REASON;
import static io.headgate.scheduler.MetricNames.TENANT;

import io.headgate.deploy.grafana.Alert.Condition;
import io.headgate.deploy.grafana.Alert.Severity;
import io.headgate.deploy.grafana.Alert.Text;
import io.headgate.scheduler.MetricNames;
import java.util.List;

/// Alerts about what jobs get: reservations, holds, preemption and promises.
final class JobAlerts {
  /// Reasons with which a job waits although capacity would start it.
  private static final String LACKS_CAPACITY =
      "CAPACITY|FRAGMENTATION|POOL_CAPACITY|HOLD|HOLDING|WAITING_FOR_VICTIMS|NODES_SET_ASIDE";

  static final List<Alert> ALL =
      List.of(
          entitledWaits(),
          reservationsExceedCapacity(),
          neverFits(),
          callbacksTimeOut(),
          jobsPushEachOther(),
          heldIdles(),
          holdOld(),
          startsLate(),
          budgetRunsOut());

  private JobAlerts() {}

  private static Alert entitledWaits() {
    String below =
        "%s < %s"
            .formatted(
                sum(all(MetricNames.POLICY_USAGE), TENANT, POLICY),
                sum(all(MetricNames.POLICY_RESERVATION), TENANT, POLICY));
    return new Alert(
        "HeadgateEntitledJobWaits",
        Severity.CRITICAL,
        "%s and on (%s) (%s) and on (%s) (%s)"
            .formatted(
                max(all(MetricNames.QUEUE_OLDEST_AGE), TENANT, POLICY, QUEUE),
                Promql.labels(TENANT, QUEUE),
                all(MetricNames.QUEUE_WAITING).like(REASON, LACKS_CAPACITY),
                Promql.labels(TENANT, POLICY),
                below),
        Condition.above(300),
        "5m",
        new Text(
            "Jobs of policy {{ $labels.headgate_policy }} wait below its reservation",
            "Policy {{ $labels.headgate_policy }} of tenant {{ $labels.headgate_tenant }} has used"
                + " less than its reservation for 5 minutes, while jobs of queue"
                + " {{ $labels.headgate_queue }} wait for capacity, the oldest for"
                + " {{ $value | humanizeDuration }}.",
            "headgate explain {{ $labels.headgate_queue }}"),
        PoliciesDashboard.ID);
  }

  private static Alert reservationsExceedCapacity() {
    return new Alert(
        "HeadgateReservationsExceedCapacity",
        Severity.WARNING,
        "%s / %s"
            .formatted(
                sum(all(MetricNames.POLICY_RESERVATION)), sum(all(MetricNames.POOL_CAPACITY))),
        Condition.above(1),
        "15m",
        new Text(
            "Reservations are {{ $value | humanizePercentage }} of the capacity",
            "For 15 minutes, all policies together reserve {{ $value | humanizePercentage }} of the"
                + " GPUs that are there. Not every reservation can be honoured.",
            "headgate pools"),
        FleetDashboard.ID);
  }

  private static Alert neverFits() {
    return new Alert(
        "HeadgateNeverFits",
        Severity.WARNING,
        sum(all(MetricNames.QUEUE_WAITING).is(REASON, "NEVER_FITS"), TENANT, QUEUE),
        Condition.above(0),
        "30m",
        new Text(
            "The first job of queue {{ $labels.headgate_queue }} fits on no node",
            "{{ $value | humanize }} jobs wait in queue {{ $labels.headgate_queue }} of tenant"
                + " {{ $labels.headgate_tenant }}, and its first one fits on no node: for 30"
                + " minutes.",
            "headgate explain {{ $labels.headgate_queue }}"),
        QueuesDashboard.ID);
  }

  private static Alert budgetRunsOut() {
    return new Alert(
        "HeadgateBudgetRunsOut",
        Severity.WARNING,
        max(all(MetricNames.BUDGET_USE), TENANT, MetricNames.BUDGET_LEVEL, MetricNames.BUDGET),
        Condition.above(0.8),
        "0s",
        new Text(
            "{{ $value | humanizePercentage }} of the budget of {{ $labels.headgate_budget_level }}"
                + " {{ $labels.headgate_budget }} is used",
            "The jobs of {{ $labels.headgate_budget_level }} {{ $labels.headgate_budget }} in"
                + " tenant {{ $labels.headgate_tenant }} have used"
                + " {{ $value | humanizePercentage }} of its budget of this period.",
            "headgate budgets"),
        CostDashboard.ID);
  }

  private static Alert callbacksTimeOut() {
    Promql.Series callbacks = all(MetricNames.STOP_DURATION).count().is(PHASE, "callback");
    return new Alert(
        "HeadgateCallbacksTimeOut",
        Severity.WARNING,
        "%s / %s"
            .formatted(
                sum(
                    Promql.grown(callbacks.is(OUTCOME, PreemptionDashboard.TIMED_OUT), "1h"),
                    TENANT),
                sum(Promql.grown(callbacks, "1h"), TENANT)),
        Condition.above(0.05),
        "0s",
        new Text(
            "{{ $value | humanizePercentage }} of the abort callbacks take too long",
            "Of the abort callbacks of tenant {{ $labels.headgate_tenant }} in an hour,"
                + " {{ $value | humanizePercentage }} did not end within their grace. Their jobs"
                + " lost the work since the last checkpoint.",
            "headgate events --since 1h"),
        PreemptionDashboard.ID);
  }

  /// Preemptions of an hour by jobs of that hour. If there are more than two for each job, some job
  /// was preempted three times: no metric names it.
  private static Alert jobsPushEachOther() {
    return new Alert(
        "HeadgateJobsPreemptedAgain",
        Severity.WARNING,
        "%s / (%s + (%s or %s * 0))"
            .formatted(
                sum(Promql.grown(all(MetricNames.PREEMPTIONS), "1h"), TENANT, POLICY),
                sum(all(MetricNames.QUEUE_JOBS), TENANT, POLICY),
                sum(Promql.grown(all(MetricNames.FINISHED), "1h"), TENANT, POLICY),
                sum(all(MetricNames.QUEUE_JOBS), TENANT, POLICY)),
        Condition.above(2),
        "0s",
        new Text(
            "Jobs of policy {{ $labels.headgate_policy }} are preempted again and again",
            "Policy {{ $labels.headgate_policy }} of tenant {{ $labels.headgate_tenant }} had"
                + " {{ $value | humanize }} preemptions for each of its jobs in an hour. So some"
                + " job was preempted three times. A minRuntime protects jobs.",
            "headgate events --since 1h --policy {{ $labels.headgate_policy }}"),
        PreemptionDashboard.ID);
  }

  private static Alert heldIdles() {
    return new Alert(
        "HeadgateHeldGpusIdle",
        Severity.WARNING,
        "%s / %s"
            .formatted(
                sum(all(MetricNames.POOL_HELD_IDLE), TENANT, POOL),
                sum(all(MetricNames.POOL_CAPACITY), TENANT, POOL)),
        Condition.above(0.2),
        "2h",
        new Text(
            "{{ $value | humanizePercentage }} of pool {{ $labels.headgate_pool }} idle for a hold",
            "For 2 hours, {{ $value | humanizePercentage }} of the GPUs of pool"
                + " {{ $labels.headgate_pool }} have idled for jobs that were blocked for too long"
                + " (O7). Declared run times let other jobs use them.",
            "headgate jobs --all --state WAITING"),
        QueuesDashboard.ID);
  }

  private static Alert holdOld() {
    return new Alert(
        "HeadgateHoldOld",
        Severity.WARNING,
        max(all(MetricNames.HOLD_AGE), TENANT, POOL),
        Condition.above(3600),
        "5m",
        new Text(
            "A hold in pool {{ $labels.headgate_pool }} is {{ $value | humanizeDuration }} old",
            "The oldest hold of pool {{ $labels.headgate_pool }} of tenant"
                + " {{ $labels.headgate_tenant }} is {{ $value | humanizeDuration }} old. Compare"
                + " that with the expected start of its job.",
            "headgate jobs --all --start"),
        QueuesDashboard.ID);
  }

  /// Starts that were not late count as late by nothing, so that one late job among a hundred does
  /// not make the quantile.
  private static Alert startsLate() {
    Promql.Series errors = all(MetricNames.ETA_ERROR);
    return new Alert(
        "HeadgateStartsLate",
        Severity.WARNING,
        "histogram_quantile(0.9, sum by (le) (%s) + on () group_left () (%s or vector(0)))"
            .formatted(
                Promql.grown(errors.part("_bucket").is(DIRECTION, "late"), "1h"),
                sum(Promql.grown(errors.count().is(DIRECTION, "early"), "1h"))),
        Condition.above(900),
        "15m",
        new Text(
            "Every tenth expected start is missed by {{ $value | humanizeDuration }}",
            "Of the starts of an hour, every tenth was later than first told by"
                + " {{ $value | humanizeDuration }} or more. Declared run times make expected"
                + " starts better.",
            "headgate jobs --all --start"),
        QueuesDashboard.ID);
  }
}
