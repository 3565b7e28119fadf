package io.headgate.deploy.grafana;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// Writes the alerts as rules of Prometheus, and as rules that Grafana provisions.
final class AlertYaml {
  private static final String HEADER =
      "# Made from io.headgate.deploy.grafana.Alerts; a test compares both. Do not edit it.\n";

  private static final int LOOK_BACK_SECONDS = 600;

  private AlertYaml() {}

  static String prometheus() {
    List<Object> groups = new ArrayList<>();
    for (Alerts.Group group : Alerts.GROUPS) {
      groups.add(
          JsonFields.of("name", group.name())
              .put("interval", group.seconds() + "s")
              .put("rules", group.alerts().stream().map(AlertYaml::rule).toList())
              .map());
    }
    return dump(JsonFields.of("groups", groups));
  }

  private static Map<String, Object> rule(Alert alert) {
    return JsonFields.of("alert", alert.name())
        .put("expr", alert.expr())
        .put("for", alert.lasting())
        .put("labels", labels(alert))
        .put("annotations", annotations(alert, alert.text()).map())
        .map();
  }

  private static Map<String, Object> labels(Alert alert) {
    return JsonFields.of("severity", alert.severity().word()).put("product", "headgate").map();
  }

  private static JsonFields annotations(Alert alert, Alert.Text text) {
    return JsonFields.of("summary", text.summary())
        .put("description", text.description())
        .put("command", text.command())
        .put("dashboard", "/d/" + alert.dashboard());
  }

  static String grafana() {
    List<Object> groups = new ArrayList<>();
    for (Alerts.Group group : Alerts.GROUPS) {
      groups.add(
          JsonFields.of("orgId", 1)
              .put("name", group.name())
              .put("folder", "Headgate")
              .put("interval", group.seconds() + "s")
              .put("rules", group.alerts().stream().map(AlertYaml::provisioned).toList())
              .map());
    }
    return dump(JsonFields.of("apiVersion", 1).put("groups", groups));
  }

  private static Map<String, Object> provisioned(Alert alert) {
    JsonFields annotations =
        annotations(alert, grafanaText(alert.text()))
            .put("__dashboardUid__", alert.dashboard())
            .put("__panelId__", "1");
    return JsonFields.of("uid", uid(alert))
        .put("title", alert.name())
        .put("condition", "C")
        .put("data", List.of(query(alert), threshold(alert)))
        .put("noDataState", "OK")
        .put("execErrState", "Error")
        .put("for", alert.lasting())
        .put("annotations", annotations.map())
        .put("labels", labels(alert))
        .put("isPaused", false)
        .map();
  }

  private static String uid(Alert alert) {
    return alert.name().replaceAll("(?<=[a-z])(?=[A-Z])", "-").toLowerCase(java.util.Locale.ROOT);
  }

  /// Grafana has the value of each query under its letter.
  private static Alert.Text grafanaText(Alert.Text text) {
    return new Alert.Text(
        text.summary().replace("$value", "$values.A.Value"),
        text.description().replace("$value", "$values.A.Value"),
        text.command());
  }

  private static Map<String, Object> query(Alert alert) {
    return JsonFields.of("refId", "A")
        .put("relativeTimeRange", JsonFields.of("from", LOOK_BACK_SECONDS).put("to", 0).map())
        .put("datasourceUid", Provisioning.METRICS)
        .put(
            "model",
            JsonFields.of("refId", "A")
                .put("editorMode", "code")
                .put("expr", alert.value())
                .put("instant", true)
                .put("range", false)
                .put("intervalMs", 1000)
                .put("maxDataPoints", 43_200)
                .map())
        .map();
  }

  private static Map<String, Object> threshold(Alert alert) {
    return JsonFields.of("refId", "C")
        .put("relativeTimeRange", JsonFields.of("from", 0).put("to", 0).map())
        .put("datasourceUid", "__expr__")
        .put(
            "model",
            JsonFields.of("refId", "C")
                .put("type", "threshold")
                .put("expression", "A")
                .put(
                    "conditions",
                    List.of(
                        JsonFields.of(
                                "evaluator",
                                JsonFields.of("type", alert.condition().comparison().word)
                                    .put("params", List.of(alert.condition().bound()))
                                    .map())
                            .map()))
                .map())
        .map();
  }

  private static String dump(JsonFields document) {
    return HEADER + Yaml.dump(document.map());
  }
}
