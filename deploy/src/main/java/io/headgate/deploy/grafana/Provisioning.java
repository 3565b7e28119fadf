package io.headgate.deploy.grafana;

import java.util.List;
import java.util.Map;

/// Tells Grafana where its data and its dashboards are.
final class Provisioning {
  /// The ids of the sources of data, which alerts and links name.
  static final String METRICS = "headgate-prometheus";

  static final String TRACES = "headgate-traces";

  private Provisioning() {}

  /// Metrics of Prometheus. The points on its quantiles lead to traces.
  ///
  /// @param prometheus address of Prometheus
  /// @param tempo address of Tempo
  static Map<String, Object> datasources(String prometheus, String tempo) {
    return JsonFields.of("apiVersion", 1)
        .put("datasources", List.of(metrics(prometheus), traces(tempo)))
        .map();
  }

  private static Map<String, Object> metrics(String prometheus) {
    return JsonFields.of("name", "Headgate metrics")
        .put("uid", METRICS)
        .put("type", "prometheus")
        .put("access", "proxy")
        .put("url", prometheus)
        .put("isDefault", true)
        .put(
            "jsonData",
            JsonFields.of("httpMethod", "POST")
                .put("timeInterval", "15s")
                .put(
                    "exemplarTraceIdDestinations",
                    List.of(JsonFields.of("name", "trace_id").put("datasourceUid", TRACES).map()))
                .map())
        .map();
  }

  private static Map<String, Object> traces(String tempo) {
    return JsonFields.of("name", "Headgate traces")
        .put("uid", TRACES)
        .put("type", "tempo")
        .put("access", "proxy")
        .put("url", tempo)
        .map();
  }

  /// @param directory of the dashboards, where Grafana sees them
  static Map<String, Object> dashboards(String directory) {
    return JsonFields.of("apiVersion", 1)
        .put(
            "providers",
            List.of(
                JsonFields.of("name", "headgate")
                    .put("folder", "Headgate")
                    .put("type", "file")
                    .put("allowUiUpdates", false)
                    .put("updateIntervalSeconds", 30)
                    .put("options", JsonFields.of("path", directory).map())
                    .map()))
        .map();
  }
}
