package io.headgate.deploy.metrics;

import io.headgate.agent.runtime.telemetry.AgentMetrics;
import io.headgate.agent.runtime.telemetry.DeviceMetrics;
import io.headgate.kit.telemetry.MetricDefinition;
import io.headgate.kit.telemetry.RuntimeMetrics;
import io.headgate.kit.telemetry.ServiceMetrics;
import io.headgate.policy.runtime.PolicyMetrics;
import io.headgate.pool.runtime.PoolMetrics;
import io.headgate.scheduler.MetricNames;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// The definitions of all metrics of the product.
public final class AllMetrics {
  /// The metrics of one part, under one heading of the reference.
  public record Section(String heading, String about, List<MetricDefinition> metrics) {}

  public static final List<Section> SECTIONS =
      List.of(
          new Section(
              "headgate-scheduler",
              "A scheduler that does not lead emits only its queue length, leadership and epoch, and"
                  + " the counters\nthat are at 0 from the start.",
              MetricNames.ALL),
          new Section("headgate-agent", "", AgentMetrics.ALL),
          new Section(
              "headgate-agent: devices",
              "The names follow OpenTelemetry's conventions for hardware. Values that a GPU does not"
                  + " report are\nabsent; a divided GPU has no utilisation.",
              DeviceMetrics.HARDWARE),
          new Section(
              "headgate-agent: devices as dcgm-exporter names them",
              "Existing dashboards work with them.",
              DeviceMetrics.DCGM),
          new Section("headgate-policy", "", PolicyMetrics.ALL),
          new Section("headgate-pool", "", PoolMetrics.ALL),
          new Section(
              "Every service",
              "Servers, watches and databases. Only the scheduler measures its memory.",
              ServiceMetrics.ALL),
          new Section("Every process", "The Java runtime.", RuntimeMetrics.ALL));

  private AllMetrics() {}

  public static Stream<MetricDefinition> stream() {
    return SECTIONS.stream().flatMap(section -> section.metrics().stream());
  }

  /// The metric of that name in Prometheus.
  public static Optional<MetricDefinition> byPrometheusName(String name) {
    return stream().filter(metric -> prometheusName(metric).equals(name)).findFirst();
  }

  /// The name in Prometheus; histograms have series with `_bucket`, `_count` and `_sum` after it.
  public static String prometheusName(MetricDefinition metric) {
    String name = label(metric.name());
    String unit =
        switch (metric.unit()) {
          case "s" -> "_seconds";
          case "By" -> "_bytes";
          case "Cel" -> "_celsius";
          case "W" -> "_watts";
          case "J" -> "_joules";
          default -> "";
        };
    return name
        + (name.endsWith(unit) ? "" : unit)
        + (metric.kind() == MetricDefinition.Kind.COUNTER ? "_total" : "");
  }

  /// The name of an attribute as a label in Prometheus.
  public static String label(String attribute) {
    return attribute.replace('.', '_');
  }
}
