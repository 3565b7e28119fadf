package io.headgate.deploy.grafana;

import static io.headgate.deploy.grafana.Promql.all;
import static io.headgate.deploy.grafana.Promql.max;
import static io.headgate.deploy.grafana.Promql.orZero;
import static io.headgate.deploy.grafana.Promql.quantile;
import static io.headgate.deploy.grafana.Promql.rate;
import static io.headgate.deploy.grafana.Promql.sum;
import static io.headgate.scheduler.MetricNames.EFFECT;
import static io.headgate.scheduler.MetricNames.PART;
import static io.headgate.scheduler.MetricNames.STATE;

import io.headgate.deploy.InstallationConfig;
import io.headgate.kit.telemetry.MetricDefinition;
import io.headgate.scheduler.MetricNames;
import java.util.List;

/// 7: how fast the scheduler decides, and which of several leads.
final class SchedulerDashboard {
  static final String ID = "headgate-scheduler";

  private static final String LEADERSHIP = "docs/architecture/leadership.md";
  private static final String OVERLOAD = "docs/operations/overload.md";

  private SchedulerDashboard() {}

  static Dashboard make() {
    return new Dashboard(
        ID,
        "Headgate / 7 Scheduler internals",
        "How fast the scheduler decides, how full its queue is, and which of several leads.",
        Annotations.ALL,
        List.of(
            Row.of("Must be so", leaders(), violations(), stale(), noLeader()),
            Row.of(
                "Times",
                times("Decision", MetricNames.PASS_DURATION, "A decision about a batch of inputs."),
                times("Transaction", MetricNames.COMMIT_DURATION, "A transaction of the leader."),
                times(
                    "Delay of inputs",
                    MetricNames.INPUT_DELAY,
                    "The time that an input waits for the loop of decisions.")),
            Row.of("Work", decisions(), batches(), queue(), waitingAndTime()),
            Row.of("Leadership", leading(), epochs(), takeovers()),
            Row.of("Traces", spans())));
  }

  private static Panel leaders() {
    return Panel.stat("Leaders", Unit.COUNT, "Schedulers that lead. It must be 1.")
        .explainedBy("docs/operations/several-schedulers.md")
        .thresholds(Threshold.atLeast(1))
        .size(6, 4)
        .query(Query.range("leaders", orZero(sum(all(MetricNames.LEADER)))));
  }

  private static Panel violations() {
    return Panel.stat(
            "Invariant violations",
            Unit.COUNT,
            "Faults after which a leader no longer trusted its state, since the processes began. It"
                + " must be 0.")
        .explainedBy(LEADERSHIP)
        .thresholds(Threshold.MUST_BE_ZERO)
        .size(6, 4)
        .query(Query.range("violations", orZero(sum(all(MetricNames.VIOLATIONS)))));
  }

  private static Panel stale() {
    return Panel.stat(
            "Stale writes refused",
            Unit.COUNT,
            "Writes of a deposed leader that the database refused, since the processes began. A few"
                + " are normal at a take-over: they show that the refusal works.")
        .explainedBy(LEADERSHIP)
        .size(6, 4)
        .query(Query.range("writes", orZero(sum(all(MetricNames.STALE_WRITES)))));
  }

  private static Panel noLeader() {
    return Panel.stat(
            "Time without a leader",
            Unit.SHARE,
            "The part of the chosen period in which no scheduler led, sampled every 15 seconds.")
        .explainedBy("docs/operations/take-over.md")
        .thresholds(Threshold.rising(0.001, 0.01))
        .size(6, 4)
        .query(
            Query.now(
                "without a leader",
                "1 - avg_over_time(clamp_max(%s, 1)[%s:15s])"
                    .formatted(sum(all(MetricNames.LEADER)), Promql.RANGE)));
  }

  private static Panel times(String title, MetricDefinition metric, String about) {
    return Panel.lines(title, Unit.SECONDS, about)
        .explainedBy(OVERLOAD)
        .size(8, 8)
        .query(
            Query.quantile("median", quantile(0.5, all(metric))),
            Query.quantile("p99", quantile(0.99, all(metric))));
  }

  private static Panel decisions() {
    return Panel.lines("Decisions", Unit.PER_SECOND, "Durable decisions a second, by effect.")
        .asks("headgate events --watch")
        .watches("P5")
        .query(Query.range(Query.by(EFFECT), sum(rate(all(MetricNames.DECISIONS)), EFFECT)));
  }

  private static Panel batches() {
    return Panel.lines(
            "Inputs of a decision",
            Unit.COUNT,
            "The mean number of inputs that one decision takes. It rises with the load.")
        .explainedBy(OVERLOAD)
        .query(Query.range("inputs", Promql.mean(all(MetricNames.BATCH_SIZE))));
  }

  private static Panel queue() {
    return Panel.lines("Waiting inputs", Unit.COUNT, "Inputs that wait for the loop of decisions.")
        .explainedBy(OVERLOAD)
        .query(
            Query.range(
                Query.by(MetricNames.INSTANCE),
                max(candidates(MetricNames.QUEUE_LENGTH), MetricNames.INSTANCE)));
  }

  private static Panel waitingAndTime() {
    return Panel.lines(
            "Decision time by waiting jobs",
            Unit.SECONDS,
            "The mean time of a decision for each thousand waiting jobs. It stays level while"
                + " decisions depend on lanes and not on jobs.")
        .explainedBy("docs/benchmarks/core.md")
        .query(
            Query.range(
                "for 1,000 waiting jobs",
                "(%s) * 1000 / clamp_min(%s, 1000)"
                    .formatted(
                        Promql.mean(all(MetricNames.PASS_DURATION)),
                        sum(all(MetricNames.QUEUE_JOBS).is(STATE, "waiting")))));
  }

  private static Panel leading() {
    return Panel.timeline("Which scheduler leads", "1 while a scheduler leads.")
        .explainedBy("docs/operations/several-schedulers.md")
        .size(8, 8)
        .query(
            Query.range(
                Query.by(MetricNames.INSTANCE),
                max(candidates(MetricNames.LEADER), MetricNames.INSTANCE)));
  }

  /// The series of the schedulers that may lead: the process in front of them never does.
  private static Promql.Series candidates(MetricDefinition metric) {
    return all(metric).not(MetricNames.INSTANCE, InstallationConfig.DOOR);
  }

  private static Panel epochs() {
    return Panel.lines(
            "Take-overs",
            Unit.COUNT,
            "How much the epoch of leadership rose in the last hour: one step for each new leader.")
        .explainedBy("docs/operations/take-over.md")
        .size(8, 8)
        .query(
            Query.range(
                "take-overs",
                "max_over_time(%s[1h:1m]) - min_over_time(%s[1h:1m])"
                    .formatted(max(all(MetricNames.EPOCH)), max(all(MetricNames.EPOCH)))));
  }

  private static Panel takeovers() {
    return Panel.lines(
            "Parts of take-overs",
            Unit.SECONDS,
            "The mean time of each part: until the death was noticed, loading, building the state,"
                + " and until agents reported.")
        .explainedBy("docs/operations/take-over.md")
        .size(8, 8)
        .query(
            Query.range(
                Query.by(PART),
                sum(all(MetricNames.TAKEOVER_DURATION).part("_sum"), PART)
                    + " / "
                    + sum(all(MetricNames.TAKEOVER_DURATION).count(), PART)));
  }

  private static Panel spans() {
    return Panel.lines(
            "Spans of jobs",
            Unit.PER_SECOND,
            "Spans that the receiver of traces took, did not take yet, or lost. Jobs that run are"
                + " in no trace yet.")
        .explainedBy("docs/reference/traces.md")
        .size(24, 7)
        .query(
            Query.range("taken", sum(rate(all(MetricNames.SPANS_WRITTEN)))),
            Query.range("sent again", sum(rate(all(MetricNames.SPANS_REFUSED)))),
            Query.range("dropped", sum(rate(all(MetricNames.SPANS_DROPPED)))));
  }
}
