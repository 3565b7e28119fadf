package io.headgate.deploy.grafana;

import io.headgate.deploy.metrics.AllMetrics;
import io.headgate.scheduler.MetricNames;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// Writes a dashboard in the classic form, which Grafana 10 to 13 read.
final class DashboardJson {
  private static final int SCHEMA = 39;
  private static final int GRID = 24;
  private static final String STEP = "60s";

  /// The variable that chooses the source of data.
  static final String SOURCE = "${datasource}";

  private static final String TENANTS =
      "label_values({__name__=~\"%s|%s\"}, %s)"
          .formatted(
              AllMetrics.prometheusName(MetricNames.POOL_CAPACITY),
              AllMetrics.prometheusName(MetricNames.POLICY_LIMIT),
              Promql.label(MetricNames.TENANT));

  private static final List<Variable> VARIABLES =
      List.of(
          new Variable("tenant", "Tenant", TENANTS),
          new Variable(
              "pool",
              "Pool",
              values(
                  Promql.all(MetricNames.POOL_CAPACITY).like(MetricNames.TENANT, "$tenant"),
                  Promql.label(MetricNames.POOL))),
          new Variable(
              "policy",
              "Policy",
              values(
                  Promql.all(MetricNames.POLICY_LIMIT).like(MetricNames.TENANT, "$tenant"),
                  Promql.label(MetricNames.POLICY))),
          new Variable(
              "node",
              "Node",
              values(
                  Promql.all(MetricNames.AGENT_CONNECTED).like(MetricNames.TENANT, "$tenant"),
                  Promql.label(MetricNames.NODE))));

  private static String values(Promql.Series series, String label) {
    return "label_values(" + series + ", " + label + ")";
  }

  private DashboardJson() {}

  static String write(Dashboard dashboard) {
    return JsonWriter.write(
        JsonFields.of("uid", dashboard.id())
            .put("title", dashboard.title())
            .put("description", dashboard.about())
            .put("tags", List.of("headgate"))
            .put("editable", true)
            .put("graphTooltip", 1)
            .put("fiscalYearStartMonth", 0)
            .put("liveNow", false)
            .put("timezone", "browser")
            .put("weekStart", "")
            .put("schemaVersion", SCHEMA)
            .put("version", 1)
            .put("refresh", "30s")
            .put("time", JsonFields.of("from", "now-6h").put("to", "now").map())
            .put("timepicker", Map.of())
            .put("templating", JsonFields.of("list", variables(dashboard)).map())
            .put("annotations", JsonFields.of("list", annotations(dashboard)).map())
            .put("links", List.of(others()))
            .put("panels", panels(dashboard))
            .map());
  }

  /// A menu of the other dashboards, which open with the same choices and the same time.
  private static Map<String, Object> others() {
    return JsonFields.of("title", "Headgate")
        .put("type", "dashboards")
        .put("tags", List.of("headgate"))
        .put("asDropdown", true)
        .put("includeVars", true)
        .put("keepTime", true)
        .put("targetBlank", false)
        .put("icon", "external link")
        .put("tooltip", "")
        .put("url", "")
        .map();
  }

  private static List<Object> variables(Dashboard dashboard) {
    List<Object> all = new ArrayList<>();
    all.add(
        JsonFields.of("name", "datasource")
            .put("label", "Source")
            .put("type", "datasource")
            .put("query", "prometheus")
            .put("regex", "")
            .put("refresh", 1)
            .put("hide", 0)
            .put("includeAll", false)
            .put("multi", false)
            .put("options", List.of())
            .map());
    for (Variable variable : VARIABLES) {
      // A choice that changes nothing here is kept for the dashboards that links lead to.
      all.add(variable(variable, dashboard.uses(variable.name()) ? 0 : 2));
    }
    return all;
  }

  private static Map<String, Object> variable(Variable variable, int hide) {
    return JsonFields.of("name", variable.name())
        .put("label", variable.label())
        .put("type", "query")
        .put("datasource", source())
        .put(
            "query",
            JsonFields.of("query", variable.query())
                .put("refId", "variable-" + variable.name())
                .map())
        .put("regex", "")
        .put("refresh", 2)
        .put("sort", 1)
        .put("hide", hide)
        .put("includeAll", true)
        .put("allValue", Variable.ALL)
        .put("multi", true)
        .put("options", List.of())
        .put(
            "current",
            JsonFields.of("selected", true)
                .put("text", List.of("All"))
                .put("value", List.of("$__all"))
                .map())
        .map();
  }

  private static List<Object> annotations(Dashboard dashboard) {
    List<Object> all = new ArrayList<>();
    for (Annotation annotation : dashboard.annotations()) {
      all.add(
          JsonFields.of("name", annotation.name())
              .put("datasource", source())
              .put("enable", true)
              .put("hide", false)
              .put("iconColor", annotation.color())
              .put(
                  "target",
                  JsonFields.of("refId", "annotation")
                      .put("expr", annotation.expr())
                      .put("interval", STEP)
                      .map())
              // Grafana 10 reads the query here.
              .put("expr", annotation.expr())
              .put("step", STEP)
              .put("titleFormat", annotation.name())
              .put("textFormat", annotation.text())
              .put("tagKeys", "")
              .put("useValueForTime", false)
              .map());
    }
    return all;
  }

  static Map<String, Object> source() {
    return JsonFields.of("type", "prometheus").put("uid", SOURCE).map();
  }

  /// The panels from left to right, and a new line where one does not fit any more.
  private static List<Object> panels(Dashboard dashboard) {
    List<Object> all = new ArrayList<>();
    int id = 1;
    int top = 0;
    for (Row row : dashboard.rows()) {
      all.add(PanelJson.heading(id++, row.title(), top));
      top++;
      int left = 0;
      int tallest = 0;
      for (Panel panel : row.panels()) {
        int width = panel.looks().width();
        int height = panel.looks().height();
        if (left + width > GRID) {
          top += tallest;
          left = 0;
          tallest = 0;
        }
        all.add(PanelJson.of(panel, id++, PanelJson.place(left, top, width, height)));
        left += width;
        tallest = Math.max(tallest, height);
      }
      top += tallest;
    }
    return all;
  }
}
