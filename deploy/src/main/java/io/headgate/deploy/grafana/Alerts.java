package io.headgate.deploy.grafana;

import static io.headgate.deploy.grafana.Promql.all;
import static io.headgate.deploy.grafana.Promql.increase;
import static io.headgate.deploy.grafana.Promql.max;
import static io.headgate.deploy.grafana.Promql.sum;

import io.headgate.agent.runtime.telemetry.AgentMetrics;
import io.headgate.agent.runtime.telemetry.DeviceMetrics;
import io.headgate.deploy.grafana.Alert.Condition;
import io.headgate.deploy.grafana.Alert.Severity;
import io.headgate.deploy.grafana.Alert.Text;
import io.headgate.kit.telemetry.ServiceMetrics;
import io.headgate.scheduler.MetricNames;
import java.util.List;
import java.util.stream.Stream;

/// All alerts; alerts about jobs are in [JobAlerts].
final class Alerts {
  /// A group of alerts that are looked at together.
  ///
  /// @param seconds between two looks; Grafana wants a multiple of ten
  record Group(String name, int seconds, List<Alert> alerts) {}

  static final List<Group> GROUPS =
      List.of(
          new Group("headgate-leadership", 10, List.of(noLeader(), invariantViolation())),
          new Group("headgate-jobs", 30, JobAlerts.ALL),
          new Group(
              "headgate-machines",
              30,
              List.of(
                  agentSilent(),
                  agentAway(),
                  uncorrectedError(),
                  deviceFailed(),
                  sliceOutlived(),
                  usedAndIdle())),
          new Group(
              "headgate-services",
              30,
              List.of(memoryShort(), exportsFail(), auditShrank(), seriesLeftOut())));

  private Alerts() {}

  static Stream<Alert> stream() {
    return GROUPS.stream().flatMap(group -> group.alerts().stream());
  }

  private static Alert noLeader() {
    return new Alert(
        "HeadgateNoLeader",
        Severity.CRITICAL,
        max(all(MetricNames.LEADER)) + " or vector(0)",
        Condition.below(1),
        "15s",
        new Text(
            "No scheduler leads",
            "No scheduler has led for 15 seconds, or none is measured. Running jobs go on. No job"
                + " starts, and no change comes into force.",
            "headgate whoami"),
        SchedulerDashboard.ID);
  }

  private static Alert invariantViolation() {
    return new Alert(
        "HeadgateInvariantViolation",
        Severity.CRITICAL,
        Promql.round(sum(increase(all(MetricNames.VIOLATIONS), "10m"), MetricNames.KIND)),
        Condition.above(0),
        "0s",
        new Text(
            "A scheduler no longer trusted its state ({{ $labels.headgate_kind }})",
            "{{ $value | humanize }} faults of kind {{ $labels.headgate_kind }} in 10 minutes. The"
                + " leader gave up its leadership, and the next one built its state anew. Keep the"
                + " logs of both.",
            "headgate usage --since 1d --check"),
        SchedulerDashboard.ID);
  }

  private static Alert agentSilent() {
    String age = max(all(MetricNames.AGENT_HEARTBEAT_AGE), MetricNames.TENANT, MetricNames.NODE);
    String left = max(all(MetricNames.AGENT_LEASE_REMAINING), MetricNames.TENANT, MetricNames.NODE);
    return new Alert(
        "HeadgateAgentSilent",
        Severity.CRITICAL,
        "%s / (%s + %s)".formatted(age, age, left),
        Condition.above(0.5),
        "0s",
        new Text(
            "Node {{ $labels.headgate_node }} is silent, and its jobs will stop",
            "The agent of node {{ $labels.headgate_node }} of tenant {{ $labels.headgate_tenant }}"
                + " has been silent for {{ $value | humanizePercentage }} of the time after which"
                + " its first job stops by itself.",
            "headgate nodes {{ $labels.headgate_node }}"),
        NodesDashboard.ID);
  }

  private static Alert agentAway() {
    return new Alert(
        "HeadgateAgentAway",
        Severity.WARNING,
        max(all(MetricNames.AGENT_CONNECTED), MetricNames.TENANT, MetricNames.NODE),
        Condition.below(1),
        "5m",
        new Text(
            "Node {{ $labels.headgate_node }} has no connection",
            "The agent of node {{ $labels.headgate_node }} of tenant {{ $labels.headgate_tenant }}"
                + " has had no connection for 5 minutes. Its GPUs are down. If it does not come"
                + " back, remove it with headgate forget.",
            "headgate nodes {{ $labels.headgate_node }}"),
        NodesDashboard.ID);
  }

  private static Alert uncorrectedError() {
    return new Alert(
        "HeadgateGpuError",
        Severity.CRITICAL,
        sum(
            increase(all(DeviceMetrics.ERRORS).is(DeviceMetrics.ERROR, "uncorrected"), "10m"),
            AgentMetrics.NODE,
            DeviceMetrics.NAME,
            AgentMetrics.DEVICE),
        Condition.above(0),
        "0s",
        new Text(
            "{{ $labels.hw_name }} of node {{ $labels.headgate_node }} has uncorrected errors",
            "{{ $value | humanize }} uncorrected errors of memory in 10 minutes, on"
                + " {{ $labels.hw_id }}. Results of its jobs may be wrong. The device gets no new"
                + " work.",
            "headgate nodes {{ $labels.headgate_node }}"),
        DevicesDashboard.ID);
  }

  private static Alert deviceFailed() {
    return new Alert(
        "HeadgateGpuFailed",
        Severity.WARNING,
        max(
            all(DeviceMetrics.STATUS).is(DeviceMetrics.STATE, "failed"),
            AgentMetrics.NODE,
            DeviceMetrics.NAME,
            AgentMetrics.DEVICE),
        Condition.above(0),
        "1m",
        new Text(
            "{{ $labels.hw_name }} of node {{ $labels.headgate_node }} failed",
            "GPU {{ $labels.hw_id }} is in the state failed. It gets no new work.",
            "headgate nodes {{ $labels.headgate_node }}"),
        DevicesDashboard.ID);
  }

  private static Alert sliceOutlived() {
    return new Alert(
        "HeadgateSliceViolated",
        Severity.WARNING,
        Promql.round(
            sum(
                increase(all(AgentMetrics.SLICE_VIOLATIONS).is(AgentMetrics.KIND, "fence"), "10m"),
                AgentMetrics.NODE,
                AgentMetrics.MECHANISM)),
        Condition.above(0),
        "0s",
        new Text(
            "Processes outlived their slice on node {{ $labels.headgate_node }}",
            "{{ $value | humanize }} attempts in 10 minutes left processes behind on slices of"
                + " mechanism {{ $labels.headgate_mechanism }}. The agent killed the processes"
                + " before it gave the slices away.",
            "headgate nodes {{ $labels.headgate_node }}"),
        NodesDashboard.ID);
  }

  private static Alert usedAndIdle() {
    String used =
        Promql.group(all(AgentMetrics.SLICE_ISOLATION), AgentMetrics.NODE, AgentMetrics.DEVICE);
    return new Alert(
        "HeadgateUsedGpusIdle",
        Severity.WARNING,
        "(count(%s) or vector(0)) / count(%s)"
            .formatted(FleetDashboard.USED_AND_IDLE.replace("$node", ".*"), used),
        Condition.above(0.2),
        "2h",
        new Text(
            "{{ $value | humanizePercentage }} of the used GPUs hardly compute",
            "For 2 hours, {{ $value | humanizePercentage }} of the GPUs that jobs have were busy"
                + " for less than 5 % of the time.",
            "headgate jobs --all --state RUNNING"),
        DevicesDashboard.ID);
  }

  private static Alert memoryShort() {
    return new Alert(
        "HeadgateMemoryShort",
        Severity.CRITICAL,
        max(all(ServiceMetrics.MEMORY_BRAKE)),
        Condition.above(0),
        "1m",
        new Text(
            "The scheduler refuses new work, because its memory is short",
            "Submissions, new watches and plans have been refused with MEMORY_SHORT for a minute."
                + " Give the process more memory, or cancel waiting jobs.",
            "headgate queues"),
        HealthDashboard.ID);
  }

  private static Alert exportsFail() {
    return new Alert(
        "HeadgateExportsFail",
        Severity.WARNING,
        sum(
            increase(all(ServiceMetrics.EXPORTS).is(ServiceMetrics.OUTCOME, "failed"), "10m"),
            ServiceMetrics.SIGNAL),
        Condition.above(0),
        "10m",
        new Text(
            "The receiver of OTLP does not take {{ $labels.headgate_signal }}",
            "{{ $value | humanize }} exports of {{ $labels.headgate_signal }} failed in 10 minutes,"
                + " and were dropped. The log of each process names the receiver.",
            "headgate help environment"),
        HealthDashboard.ID);
  }

  private static Alert auditShrank() {
    return new Alert(
        "HeadgateAuditShrank",
        Severity.CRITICAL,
        max(
            "resets(" + all(ServiceMetrics.AUDIT_SEQUENCE) + "[1h])",
            ServiceMetrics.SCHEMA,
            ServiceMetrics.TENANT),
        Condition.above(0),
        "0s",
        new Text(
            "An audit log of tenant {{ $labels.headgate_tenant }} became shorter",
            "The number of the last audit entry of schema {{ $labels.headgate_schema }}, tenant"
                + " \"{{ $labels.headgate_tenant }}\", fell within an hour. Entries were removed,"
                + " or a backup was restored.",
            "headgate audit --verify"),
        HealthDashboard.ID);
  }

  private static Alert seriesLeftOut() {
    return new Alert(
        "HeadgateSeriesLeftOut",
        Severity.WARNING,
        max(all(MetricNames.SERIES_LEFT_OUT), MetricNames.TENANT),
        Condition.above(0),
        "15m",
        new Text(
            "Tenant {{ $labels.headgate_tenant }} has more series than are exported",
            "{{ $value | humanize }} series of tenant {{ $labels.headgate_tenant }} are left out of"
                + " metrics. Panels and alerts about its queues are incomplete.",
            "headgate queues"),
        TenantsDashboard.ID);
  }
}
