package io.headgate.deploy.grafana;

import static io.headgate.deploy.grafana.Promql.onNodes;
import static io.headgate.deploy.grafana.Promql.sum;

import io.headgate.agent.runtime.telemetry.AgentMetrics;
import io.headgate.agent.runtime.telemetry.DeviceMetrics;
import io.headgate.kit.telemetry.MetricDefinition;
import io.opentelemetry.api.common.AttributeKey;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// 5: what GPUs do, how they are, and whose work is on them.
final class DevicesDashboard {
  static final String ID = "headgate-devices";

  private static final AttributeKey<?>[] DEVICE = {
    AgentMetrics.NODE, DeviceMetrics.NAME, AgentMetrics.DEVICE
  };
  private static final String LEGEND = Query.by(AgentMetrics.NODE, DeviceMetrics.NAME);

  private DevicesDashboard() {}

  static Dashboard make() {
    return new Dashboard(
        ID,
        "Headgate / 5 Devices",
        "What GPUs do, how healthy they are, and whose jobs use them.",
        List.of(),
        List.of(
            Row.of("Health", failed(), errors(), xids(), states()),
            Row.of("Use", utilization(), memory(), memoryShare(), usedAndIdle()),
            Row.of("Power and heat", power(), energy(), temperature()),
            Row.of("Owners", ownersMemory(), ownersShare())));
  }

  private static Panel each(String title, Unit unit, String about, MetricDefinition metric) {
    return Panel.lines(title, unit, about)
        .asks("headgate nodes NODE")
        .query(Query.range(LEGEND, Promql.max(onNodes(metric), DEVICE)));
  }

  private static Panel failed() {
    return Panel.stat(
            "Not in order", Unit.COUNT, "GPUs that are degraded or failed. They get no new work.")
        .asks("headgate nodes")
        .watches("A6")
        .thresholds(Threshold.MUST_BE_ZERO)
        .size(4, 7)
        .query(
            Query.range(
                "GPUs",
                Promql.orZero(sum(onNodes(DeviceMetrics.STATUS).not(DeviceMetrics.STATE, "ok")))));
  }

  private static Panel errors() {
    return Panel.lines(
            "Errors of memory",
            Unit.COUNT,
            "New errors in each interval. The GPU repairs a corrected error. An uncorrected one"
                + " may have changed results, and the device gets no new work.")
        .asks("headgate nodes NODE")
        .size(10, 7)
        .query(
            Query.range(
                LEGEND + " " + Query.by(DeviceMetrics.ERROR),
                sum(
                    Promql.increase(onNodes(DeviceMetrics.ERRORS), Promql.RATE),
                    AgentMetrics.NODE,
                    DeviceMetrics.NAME,
                    AgentMetrics.DEVICE,
                    DeviceMetrics.ERROR)));
  }

  private static Panel xids() {
    return Panel.lines(
            "XIDs and closings",
            Unit.COUNT,
            "Errors that NVIDIA's driver reported, by number, and how often a GPU became closed to"
                + " new work, in each interval.")
        .asks("headgate nodes NODE")
        .size(10, 7)
        .query(
            Query.range(
                "XID " + Query.by(DeviceMetrics.XID) + " " + LEGEND,
                sum(
                    Promql.increase(onNodes(DeviceMetrics.XIDS), Promql.RATE),
                    AgentMetrics.NODE,
                    DeviceMetrics.NAME,
                    AgentMetrics.DEVICE,
                    DeviceMetrics.XID)),
            Query.range(
                "closed " + LEGEND,
                sum(Promql.increase(onNodes(DeviceMetrics.CLOSINGS), Promql.RATE), DEVICE)));
  }

  private static Panel states() {
    Map<String, String> columns = new LinkedHashMap<>();
    columns.put(Promql.label(AgentMetrics.NODE), "node");
    columns.put(Promql.label(DeviceMetrics.NAME), "device");
    columns.put(Promql.label(DeviceMetrics.MODEL), "model");
    columns.put(Promql.label(DeviceMetrics.STATE), "state");
    columns.put(Promql.label(AgentMetrics.DEVICE), "id");
    return Panel.table("States", Unit.NONE, "The present state of each GPU.", columns)
        .asks("headgate nodes")
        .size(24, 7)
        .query(
            Query.row(
                "state",
                sum(
                        onNodes(DeviceMetrics.STATUS),
                        AgentMetrics.NODE,
                        DeviceMetrics.NAME,
                        DeviceMetrics.MODEL,
                        DeviceMetrics.STATE,
                        AgentMetrics.DEVICE)
                    + " == 1"));
  }

  private static Panel utilization() {
    return each(
        "Utilisation",
        Unit.SHARE,
        "The part of the time in which the GPU computed. A divided GPU reports none.",
        DeviceMetrics.UTILIZATION);
  }

  private static Panel memory() {
    return each(
        "Memory in use", Unit.BYTES, "Memory of each GPU in use.", DeviceMetrics.MEMORY_USAGE);
  }

  private static Panel memoryShare() {
    return Panel.bars(
            "Used part of the memory", Unit.SHARE, "Memory in use by the memory of the GPU, now.")
        .asks("headgate nodes NODE")
        .query(
            Query.now(
                LEGEND,
                Promql.max(onNodes(DeviceMetrics.MEMORY_USAGE), DEVICE)
                    + " / "
                    + Promql.max(onNodes(DeviceMetrics.MEMORY_LIMIT), DEVICE)));
  }

  private static Panel usedAndIdle() {
    Map<String, String> columns = new LinkedHashMap<>();
    columns.put(Promql.label(AgentMetrics.NODE), "node");
    columns.put(Promql.label(DeviceMetrics.NAME), "device");
    columns.put(Promql.label(DeviceMetrics.MODEL), "model");
    columns.put("utilisation", "utilisation");
    return Panel.table(
            "Used and idle",
            Unit.SHARE,
            "The 20 used GPUs that computed least in the last half hour, below 5 %. Real GPUs"
                + " only.",
            columns)
        .asks("headgate jobs --all")
        .query(
            Query.row(
                "utilisation",
                "bottomk(20, avg_over_time((" + FleetDashboard.USED_AND_IDLE + ")[30m:1m]))"));
  }

  private static Panel power() {
    return each("Power", Unit.WATTS, "Power that each GPU takes.", DeviceMetrics.POWER).size(8, 8);
  }

  private static Panel energy() {
    return Panel.lines(
            "Energy",
            Unit.JOULES,
            "Energy that each GPU took in each interval, where its driver tells it.")
        .asks("headgate nodes NODE")
        .size(8, 8)
        .query(
            Query.range(
                LEGEND, sum(Promql.increase(onNodes(DeviceMetrics.ENERGY), Promql.RATE), DEVICE)));
  }

  private static Panel temperature() {
    return each("Temperature", Unit.CELSIUS, "Temperature of each GPU.", DeviceMetrics.TEMPERATURE)
        .thresholds(Threshold.rising(80, 90))
        .size(8, 8);
  }

  private static Panel ownersMemory() {
    return Panel.area(
            "GPU memory by owner",
            Unit.BYTES,
            "Memory of GPUs that attempts use, by tenant and queue. Real GPUs only.")
        .asks("headgate jobs --all")
        .query(
            Query.range(
                Query.by(AgentMetrics.TENANT, AgentMetrics.QUEUE),
                sum(
                    onNodes(AgentMetrics.SLICE_MEMORY_USAGE),
                    AgentMetrics.TENANT,
                    AgentMetrics.QUEUE)));
  }

  private static Panel ownersShare() {
    return Panel.lines(
            "Used part of the slices' memory",
            Unit.SHARE,
            "What attempts use of the memory of their slices, by queue. Little use says that a"
                + " smaller profile would do. Real GPUs only.")
        .asks("headgate profiles")
        .query(
            Query.range(
                Query.by(AgentMetrics.TENANT, AgentMetrics.QUEUE),
                sum(
                        onNodes(AgentMetrics.SLICE_MEMORY_USAGE),
                        AgentMetrics.TENANT,
                        AgentMetrics.QUEUE)
                    + " / "
                    + sum(
                        onNodes(AgentMetrics.SLICE_MEMORY_LIMIT),
                        AgentMetrics.TENANT,
                        AgentMetrics.QUEUE)));
  }
}
