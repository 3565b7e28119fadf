package io.headgate.deploy.grafana;

import static io.headgate.deploy.grafana.Promql.max;
import static io.headgate.deploy.grafana.Promql.min;
import static io.headgate.deploy.grafana.Promql.onNodes;
import static io.headgate.deploy.grafana.Promql.orZero;
import static io.headgate.deploy.grafana.Promql.quantile;
import static io.headgate.deploy.grafana.Promql.rate;
import static io.headgate.deploy.grafana.Promql.sum;
import static io.headgate.scheduler.MetricNames.NODE;
import static io.headgate.scheduler.MetricNames.VERSION;

import io.headgate.agent.runtime.telemetry.AgentMetrics;
import io.headgate.scheduler.MetricNames;
import java.util.List;

/// 6: whether agents are there, and how they make and unmake slices.
final class NodesDashboard {
  static final String ID = "headgate-nodes";

  private NodesDashboard() {}

  static Dashboard make() {
    return new Dashboard(
        ID,
        "Headgate / 6 Nodes and agents",
        "Whether agents are there, and how they make slices and run attempts.",
        Annotations.ALL,
        List.of(
            Row.of("Contact", away(), versions(), heartbeats(), leases()),
            Row.of("Attempts", attempts(), starts(), pending()),
            Row.of("Slices", mechanisms(), realised(), released(), failures()),
            Row.of("Enforcement", violations(), actions()),
            Row.of("Processors and memory", cpu(), memory(), kills())));
  }

  private static Panel away() {
    return Panel.stat("Agents away", Unit.COUNT, "Nodes whose agent has no connection.")
        .asks("headgate nodes")
        .thresholds(Threshold.MUST_BE_ZERO)
        .size(4, 8)
        .query(
            Query.range(
                "agents", orZero(Promql.count(onNodes(MetricNames.AGENT_CONNECTED) + " == 0"))));
  }

  private static Panel versions() {
    return Panel.area(
            "Agents by version", Unit.COUNT, "Connected agents by version. An upgrade moves them.")
        .asks("headgate nodes NODE")
        .size(6, 8)
        .query(Query.range(Query.by(VERSION), sum(onNodes(MetricNames.AGENT_CONNECTED), VERSION)));
  }

  private static Panel heartbeats() {
    return Panel.lines(
            "Time since the last message",
            Unit.SECONDS,
            "Of the ten most silent nodes. A node that is silent for too long gets no new work.")
        .asks("headgate nodes")
        .size(7, 8)
        .query(
            Query.range(
                Query.by(NODE),
                "topk(10, " + max(onNodes(MetricNames.AGENT_HEARTBEAT_AGE), NODE) + ")"));
  }

  private static Panel leases() {
    return Panel.lines(
            "Time until jobs stop by themselves",
            Unit.SECONDS,
            "How long a node may yet be without contact before its first job stops. The ten"
                + " shortest.")
        .asks("headgate nodes NODE")
        .size(7, 8)
        .query(
            Query.range(
                Query.by(NODE),
                "bottomk(10, " + min(onNodes(MetricNames.AGENT_LEASE_REMAINING), NODE) + ")"));
  }

  private static Panel attempts() {
    return Panel.area("Attempts by state", Unit.COUNT, "Attempts that agents know, by state.")
        .asks("headgate jobs --all --state RUNNING")
        .size(8, 8)
        .query(
            Query.range(
                Query.by(AgentMetrics.STATE),
                sum(onNodes(AgentMetrics.ATTEMPTS), AgentMetrics.STATE)));
  }

  private static Panel starts() {
    return Panel.lines("Time to start", Unit.SECONDS, "From the assignment to the running program.")
        .asks("headgate events --job JOB")
        .size(8, 8)
        .query(
            Query.quantile("median", quantile(0.5, onNodes(AgentMetrics.START_DURATION))),
            Query.quantile("p99", quantile(0.99, onNodes(AgentMetrics.START_DURATION))));
  }

  private static Panel pending() {
    return Panel.lines(
            "Unacknowledged updates",
            Unit.COUNT,
            "Updates that the scheduler has not acknowledged. They pile up while none leads.")
        .explainedBy("docs/operations/node-agent.md")
        .size(8, 8)
        .query(
            Query.range(
                Query.by(AgentMetrics.NODE),
                max(onNodes(AgentMetrics.UPDATES_PENDING), AgentMetrics.NODE)));
  }

  private static Panel mechanisms() {
    return Panel.area(
            "Slices by mechanism and isolation",
            Unit.COUNT,
            "Slices that exist, by what enforces them and how strongly that isolates.")
        .asks("headgate nodes")
        .query(
            Query.range(
                Query.by(AgentMetrics.MECHANISM, AgentMetrics.ISOLATION),
                sum(onNodes(AgentMetrics.SLICES), AgentMetrics.MECHANISM, AgentMetrics.ISOLATION)));
  }

  private static Panel realised() {
    return Panel.lines(
            "Time to make slices, p99", Unit.SECONDS, "Of an attempt, by the first mechanism.")
        .explainedBy("docs/architecture/life-of-a-slice.md")
        .query(
            Query.quantile(
                Query.by(AgentMetrics.MECHANISM),
                quantile(0.99, onNodes(AgentMetrics.REALISE_DURATION), AgentMetrics.MECHANISM)));
  }

  private static Panel released() {
    return Panel.lines(
            "Time to free slices, p99",
            Unit.SECONDS,
            "From the end of a job to free slices, by the first mechanism. The next job waits for"
                + " it.")
        .explainedBy("docs/architecture/life-of-a-slice.md")
        .query(
            Query.quantile(
                Query.by(AgentMetrics.MECHANISM),
                quantile(0.99, onNodes(AgentMetrics.RELEASE_DURATION), AgentMetrics.MECHANISM)));
  }

  private static Panel failures() {
    return Panel.lines(
            "Failures to make or free slices",
            Unit.PER_SECOND,
            "Attempts a second whose slices could not be made, or could be freed only after a"
                + " failure.")
        .asks("headgate nodes")
        .query(
            Query.range(
                "not made",
                orZero(
                    sum(
                        rate(
                            onNodes(AgentMetrics.REALISE_DURATION)
                                .count()
                                .is(AgentMetrics.OUTCOME, "failed"))))),
            Query.range(
                "freed after a failure",
                orZero(
                    sum(
                        rate(
                            onNodes(AgentMetrics.RELEASE_DURATION)
                                .count()
                                .is(AgentMetrics.OUTCOME, "retried"))))));
  }

  private static Panel violations() {
    return Panel.lines(
            "Violations of slices",
            Unit.COUNT,
            "Attempts that used more memory than their slice, and attempts whose processes outlived"
                + " them, in each interval.")
        .asks("headgate events")
        .query(
            Query.range(
                Query.by(AgentMetrics.MECHANISM, AgentMetrics.KIND),
                sum(
                    Promql.increase(onNodes(AgentMetrics.SLICE_VIOLATIONS), Promql.RATE),
                    AgentMetrics.MECHANISM,
                    AgentMetrics.KIND)));
  }

  private static Panel actions() {
    return Panel.lines(
            "Actions of enforcement",
            Unit.COUNT,
            "How often an agent found excess, stopped or killed a process, or refused a slice, in"
                + " each interval.")
        .asks("headgate events")
        .query(
            Query.range(
                Query.by(AgentMetrics.ACTION),
                sum(
                    Promql.increase(onNodes(AgentMetrics.ENFORCEMENT), Promql.RATE),
                    AgentMetrics.ACTION)));
  }

  private static Panel cpu() {
    return Panel.area(
            "CPUs by queue", Unit.CORES, "Processors that attempts keep busy, by tenant and queue.")
        .asks("headgate nodes")
        .size(8, 8)
        .query(
            Query.range(
                Query.by(AgentMetrics.TENANT, AgentMetrics.QUEUE),
                sum(rate(onNodes(AgentMetrics.JOB_CPU)), AgentMetrics.TENANT, AgentMetrics.QUEUE)));
  }

  private static Panel memory() {
    return Panel.area(
            "Main memory by queue",
            Unit.BYTES,
            "Main memory of attempts, without files that the kernel only caches.")
        .asks("headgate nodes")
        .size(8, 8)
        .query(
            Query.range(
                Query.by(AgentMetrics.TENANT, AgentMetrics.QUEUE),
                sum(onNodes(AgentMetrics.JOB_MEMORY), AgentMetrics.TENANT, AgentMetrics.QUEUE)));
  }

  private static Panel kills() {
    return Panel.lines(
            "Killed for main memory",
            Unit.COUNT,
            "Processes of jobs that the kernel killed because their memory was full, in each"
                + " interval.")
        .asks("headgate jobs --all --state FAILED")
        .size(8, 8)
        .query(
            Query.range(
                Query.by(AgentMetrics.TENANT, AgentMetrics.QUEUE),
                sum(
                    Promql.increase(onNodes(AgentMetrics.JOB_OOM_KILLS), Promql.RATE),
                    AgentMetrics.TENANT,
                    AgentMetrics.QUEUE)));
  }
}
