package io.headgate.deploy.grafana;

import static io.headgate.deploy.grafana.Promql.chosen;
import static io.headgate.deploy.grafana.Promql.count;
import static io.headgate.deploy.grafana.Promql.group;
import static io.headgate.deploy.grafana.Promql.max;
import static io.headgate.deploy.grafana.Promql.orZero;
import static io.headgate.deploy.grafana.Promql.rate;
import static io.headgate.deploy.grafana.Promql.sum;
import static io.headgate.scheduler.MetricNames.POLICY;
import static io.headgate.scheduler.MetricNames.POOL;
import static io.headgate.scheduler.MetricNames.PROFILE;
import static io.headgate.scheduler.MetricNames.STATE;
import static io.headgate.scheduler.MetricNames.USAGE_KIND;

import io.headgate.agent.runtime.telemetry.AgentMetrics;
import io.headgate.agent.runtime.telemetry.DeviceMetrics;
import io.headgate.scheduler.MetricNames;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// 1: the whole installation at a glance.
final class FleetDashboard {
  static final String ID = "headgate-fleet";

  /// The part of its time in which a used GPU computes less counts as idling.
  static final String BUSY = "0.05";

  /// Devices that have slices and compute less than that.
  static final String USED_AND_IDLE =
      "%s < %s and on (%s) %s"
          .formatted(
              Promql.onNodes(DeviceMetrics.UTILIZATION),
              BUSY,
              Promql.labels(AgentMetrics.NODE, AgentMetrics.DEVICE),
              group(
                  Promql.all(AgentMetrics.SLICE_ISOLATION),
                  AgentMetrics.NODE,
                  AgentMetrics.DEVICE));

  /// The areas of a pool's GPUs from below: one query each, because Grafana stacks in the order of
  /// the queries.
  private static final List<UsageColor> STACK =
      List.of(
          UsageColor.ENTITLED,
          UsageColor.OVER_RESERVATION,
          UsageColor.ABOVE_LIMIT,
          UsageColor.HELD,
          UsageColor.IDLE,
          UsageColor.DOWN);

  private FleetDashboard() {}

  static Dashboard make() {
    return new Dashboard(
        ID,
        "Headgate / 1 Fleet",
        "How many GPUs there are, how they are used, and what waits for them.",
        Annotations.ALL,
        List.of(
            Row.of(
                "Now", capacity(), used(), over(), idle(), held(), unusable(), waiting(), leader()),
            Row.of("Use", use(), pools()),
            Row.of("Demand", jobsByProfile(), demandByProfile(), demandByPolicy()),
            Row.of("Waste", waste(), usedAndIdle(), idleNodes())));
  }

  private static Panel capacity() {
    return Panel.stat("Capacity", Unit.GPUS, "GPUs that jobs may use, of all chosen pools.")
        .asks("headgate pools")
        .watches("A7")
        .query(Query.range("GPUs", sum(chosen(MetricNames.POOL_CAPACITY))));
  }

  private static Panel used() {
    return Panel.stat("Used", Unit.SHARE, "The used part of the capacity.")
        .asks("headgate pools")
        .query(
            Query.range(
                "used",
                sum(chosen(MetricNames.POOL_USED))
                    + " / "
                    + sum(chosen(MetricNames.POOL_CAPACITY))));
  }

  private static Panel over() {
    return Panel.stat(
            "Over-reservation",
            Unit.SHARE,
            "The part of the capacity that jobs use above their policies' reservations. It is lent:"
                + " entitled jobs take it back.")
        .asks("headgate policies")
        .watches("P1")
        .leadsTo(PoliciesDashboard.ID)
        .query(
            Query.range(
                "over-reservation",
                sum(chosen(MetricNames.POOL_USED).not(USAGE_KIND, "entitled"))
                    + " / "
                    + sum(chosen(MetricNames.POOL_CAPACITY))));
  }

  private static Panel idle() {
    return Panel.stat("Idle", Unit.GPUS, "GPUs that are free for any job.")
        .asks("headgate pools")
        .query(Query.range("idle", sum(chosen(MetricNames.POOL_IDLE))));
  }

  private static Panel held() {
    return Panel.stat("Held", Unit.GPUS, "Free GPUs that are kept for a named waiting job.")
        .asks("headgate jobs --all --state WAITING")
        .watches("O7")
        .leadsTo(PreemptionDashboard.ID)
        .query(Query.range("held", sum(chosen(MetricNames.POOL_HELD))));
  }

  private static Panel unusable() {
    return Panel.stat(
            "Unusable",
            Unit.GPUS,
            "The part of the idle GPUs that no job of the pool's queues can take now: by a ceiling,"
                + " places of a divided GPU, CPUs or memory.")
        .asks("headgate nodes")
        .watches("A6")
        .query(Query.range("unusable", sum(chosen(MetricNames.POOL_UNUSABLE))));
  }

  private static Panel waiting() {
    return Panel.stat("Waiting", Unit.GPUS, "GPUs that waiting jobs ask for.")
        .asks("headgate jobs --all --state WAITING")
        .leadsTo(QueuesDashboard.ID)
        .query(Query.range("waiting", sum(chosen(MetricNames.POLICY_DEMAND))));
  }

  private static Panel leader() {
    return Panel.stat("Leaders", Unit.COUNT, "Schedulers that lead. It must be 1.")
        .explainedBy("docs/operations/several-schedulers.md")
        .thresholds(Threshold.atLeast(1))
        .leadsTo(SchedulerDashboard.ID)
        .query(Query.range("leaders", orZero(sum(chosen(MetricNames.LEADER)))));
  }

  private static Panel use() {
    return Panel.area(
            "GPUs by use",
            Unit.GPUS,
            "The average of each interval, from the ledger of GPU time. The areas add up to the"
                + " devices of the pools, those of nodes that are down included.")
        .asks("headgate usage --by pool")
        .size(16, 9)
        .query(STACK.stream().map(FleetDashboard::used).toArray(Query[]::new));
  }

  private static Query used(UsageColor use) {
    return Query.range(use.word, sum(rate(chosen(MetricNames.GPU_TIME).is(USAGE_KIND, use.word))));
  }

  private static Panel pools() {
    return Panel.bars("Used part of each pool", Unit.SHARE, "Used GPUs by capacity, now.")
        .asks("headgate pools")
        .size(8, 9)
        .query(
            Query.now(
                Query.by(POOL),
                sum(chosen(MetricNames.POOL_USED), POOL)
                    + " / "
                    + sum(chosen(MetricNames.POOL_CAPACITY), POOL)));
  }

  private static Panel jobsByProfile() {
    return Panel.lines(
            "Jobs by profile",
            Unit.COUNT,
            "Running and waiting jobs, by the profile of their queue.")
        .asks("headgate profiles")
        .size(8, 8)
        .query(
            Query.range(
                Query.by(PROFILE, STATE), sum(chosen(MetricNames.PROFILE_JOBS), PROFILE, STATE)));
  }

  private static Panel demandByProfile() {
    return Panel.area(
            "Waiting demand by profile",
            Unit.GPUS,
            "GPUs that waiting jobs ask for, by the profile of their queue.")
        .asks("headgate queues")
        .size(8, 8)
        .query(Query.range(Query.by(PROFILE), sum(chosen(MetricNames.PROFILE_DEMAND), PROFILE)));
  }

  private static Panel demandByPolicy() {
    return Panel.area(
            "Waiting demand by policy", Unit.GPUS, "GPUs that waiting jobs ask for, by policy.")
        .asks("headgate policies")
        .leadsTo(PoliciesDashboard.ID)
        .size(8, 8)
        .query(Query.range(Query.by(POLICY), sum(chosen(MetricNames.POLICY_DEMAND), POLICY)));
  }

  private static Panel waste() {
    return Panel.lines(
            "GPUs that nothing uses",
            Unit.GPUS,
            "Held GPUs wait for a job. The part that idles for jobs blocked for too long is"
                + " shown apart. Unusable GPUs are idle, and fit no job. GPUs that are down take no"
                + " work.")
        .asks("headgate nodes")
        .watches("O7")
        .size(8, 8)
        .query(
            Query.range("held", sum(chosen(MetricNames.POOL_HELD))),
            Query.range("idle for blocked jobs", sum(chosen(MetricNames.POOL_HELD_IDLE))),
            Query.range("unusable", sum(chosen(MetricNames.POOL_UNUSABLE))),
            Query.range("down", sum(chosen(MetricNames.POOL_DOWN))));
  }

  private static Panel usedAndIdle() {
    return Panel.lines(
            "Used GPUs that compute for less than 5 % of the time",
            Unit.COUNT,
            "Devices with slices whose utilisation is below 5 %. Only real GPUs, and only those"
                + " that report their utilisation: a divided GPU has none.")
        .asks("headgate nodes")
        .leadsTo(DevicesDashboard.ID)
        .size(8, 8)
        .query(Query.range("devices", orZero(count(USED_AND_IDLE.replace("$node", ".*")))));
  }

  private static Panel idleNodes() {
    Map<String, String> columns = new LinkedHashMap<>();
    columns.put(Promql.label(MetricNames.NODE), "node");
    return Panel.table(
            "Nodes without a job",
            Unit.COUNT,
            "Connected nodes on which no attempt runs or is about to.",
            columns)
        .asks("headgate nodes --sort used")
        .size(8, 8)
        .query(
            Query.row(
                "node",
                "%s unless on (%s) (%s > 0)"
                    .formatted(
                        max(Promql.all(MetricNames.AGENT_CONNECTED), MetricNames.NODE),
                        Promql.label(MetricNames.NODE),
                        sum(Promql.all(AgentMetrics.ATTEMPTS), AgentMetrics.NODE))));
  }
}
