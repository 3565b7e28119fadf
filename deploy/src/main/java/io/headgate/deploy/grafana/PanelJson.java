package io.headgate.deploy.grafana;

import io.headgate.deploy.grafana.Panel.Kind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Writes a panel in Grafana's classic form.
final class PanelJson {
  private PanelJson() {}

  static Map<String, Object> place(int left, int top, int width, int height) {
    return JsonFields.of("x", left).put("y", top).put("w", width).put("h", height).map();
  }

  static Map<String, Object> heading(int id, String title, int top) {
    return JsonFields.of("id", id)
        .put("type", "row")
        .put("title", title)
        .put("collapsed", false)
        .put("gridPos", place(0, top, 24, 1))
        .put("panels", List.of())
        .map();
  }

  static Map<String, Object> of(Panel panel, int id, Map<String, Object> place) {
    Panel.Looks looks = panel.looks();
    return JsonFields.of("id", id)
        .put("type", panel.kind().type)
        .put("title", panel.title())
        .put("description", panel.description())
        .put("datasource", DashboardJson.source())
        .put("gridPos", place)
        .putIf(!looks.repeat().isEmpty(), "repeat", looks.repeat())
        .putIf(!looks.repeat().isEmpty(), "repeatDirection", "h")
        .putIf(!looks.repeat().isEmpty(), "maxPerRow", 24 / looks.width())
        .putIf(!looks.leadsTo().isEmpty(), "links", List.of(link(looks.leadsTo())))
        .put(
            "fieldConfig",
            JsonFields.of("defaults", defaults(panel)).put("overrides", overrides(panel)).map())
        .put("options", options(panel))
        .put("targets", targets(panel))
        .putIf(panel.kind() == Kind.TABLE, "transformations", transformations(panel))
        .map();
  }

  private static Map<String, Object> link(String dashboard) {
    return JsonFields.of("title", "Details")
        .put("type", "link")
        .put("icon", "")
        .put("tooltip", "")
        .put("tags", List.of())
        .put("asDropdown", false)
        .put("includeVars", false)
        .put("keepTime", false)
        .put(
            "url",
            "/d/"
                + dashboard
                + "?${datasource:queryparam}&${tenant:queryparam}&${pool:queryparam}"
                + "&${policy:queryparam}&${__url_time_range}")
        .put("targetBlank", false)
        .map();
  }

  private static List<Object> targets(Panel panel) {
    List<Object> all = new ArrayList<>();
    for (Query query : panel.queries()) {
      boolean isInstant = query.form() == Query.Form.INSTANT || query.form() == Query.Form.TABLE;
      all.add(
          JsonFields.of("refId", refId(panel, query, all.size()))
              .put("datasource", DashboardJson.source())
              .put("editorMode", "code")
              .put("expr", query.expr())
              .put("format", query.form().format)
              .put("instant", isInstant)
              .put("range", !isInstant)
              .put("exemplar", query.hasExemplars())
              .put("legendFormat", query.form() == Query.Form.TABLE ? "" : query.legend())
              .map());
    }
    return all;
  }

  /// The columns of a table are named by the query.
  private static String refId(Panel panel, Query query, int number) {
    return panel.kind() == Kind.TABLE ? query.legend() : String.valueOf((char) ('A' + number));
  }

  private static Map<String, Object> defaults(Panel panel) {
    boolean isOverTime = panel.kind() == Kind.LINES || panel.kind() == Kind.AREA;
    JsonFields defaults =
        JsonFields.of("unit", panel.unit().id)
            .putIf(panel.unit().decimals >= 0, "decimals", panel.unit().decimals)
            .putIf(panel.kind() != Kind.TIMELINE, "min", 0)
            .putIf(panel.unit() == Unit.SHARE && panel.kind() == Kind.BARS, "max", 1)
            .put("color", JsonFields.of("mode", colors(panel.kind())).map());
    if (!panel.looks().thresholds().isEmpty()) {
      defaults.put("thresholds", thresholds(panel.looks().thresholds()));
    }
    if (isOverTime) {
      defaults.put("custom", drawing(panel));
    } else if (panel.kind() == Kind.TIMELINE) {
      defaults.put("custom", JsonFields.of("fillOpacity", 80).put("lineWidth", 0).map());
    }
    return defaults.map();
  }

  private static String colors(Kind kind) {
    return switch (kind) {
      case STAT, BARS, TIMELINE -> "thresholds";
      case LINES, AREA, TABLE, HEATMAP -> "palette-classic";
    };
  }

  private static Map<String, Object> drawing(Panel panel) {
    boolean isArea = panel.kind() == Kind.AREA;
    boolean hasLimits = !panel.looks().thresholds().isEmpty();
    return JsonFields.of("drawStyle", "line")
        .put("lineInterpolation", isArea ? "stepAfter" : "linear")
        .put("lineWidth", isArea ? 0 : 1)
        .put("fillOpacity", isArea ? 75 : 5)
        .put("showPoints", "auto")
        .put("pointSize", 4)
        .put("spanNulls", false)
        .put("stacking", JsonFields.of("mode", isArea ? "normal" : "none").put("group", "A").map())
        .put("thresholdsStyle", JsonFields.of("mode", hasLimits ? "dashed" : "off").map())
        .map();
  }

  private static Map<String, Object> thresholds(List<Threshold> thresholds) {
    List<Object> steps = new ArrayList<>();
    for (Threshold threshold : thresholds) {
      Map<String, Object> step = new LinkedHashMap<>();
      step.put("color", threshold.color());
      // Grafana writes the lowest value, minus infinity, as null.
      step.put(
          "value",
          Double.isInfinite(threshold.from()) ? JsonWriter.Nothing.NULL : threshold.from());
      steps.add(step);
    }
    return JsonFields.of("mode", "absolute").put("steps", steps).map();
  }

  /// The names and colors of ways of use, by the value of the label or the name of the query; the
  /// lines of bounds stand beside the areas.
  private static List<Object> overrides(Panel panel) {
    List<Object> all = new ArrayList<>();
    if (panel.kind() != Kind.LINES && panel.kind() != Kind.AREA) {
      return all;
    }
    boolean isByKind =
        panel.queries().stream().anyMatch(query -> query.legend().contains("usage_kind"));
    for (UsageColor use : UsageColor.all()) {
      boolean isNamed = panel.queries().stream().anyMatch(query -> query.legend().equals(use.word));
      boolean isBound = use == UsageColor.RESERVATION || use == UsageColor.LIMIT;
      if (isNamed || (isByKind && !isBound)) {
        List<Object> properties = new ArrayList<>();
        properties.add(property("displayName", use.shown));
        properties.add(
            property("color", JsonFields.of("mode", "fixed").put("fixedColor", use.color).map()));
        if (isBound) {
          properties.add(
              property("custom.stacking", JsonFields.of("mode", "none").put("group", "A").map()));
          properties.add(property("custom.fillOpacity", 0));
          properties.add(property("custom.lineWidth", 2));
        }
        all.add(
            JsonFields.of("matcher", JsonFields.of("id", "byName").put("options", use.word).map())
                .put("properties", properties)
                .map());
      }
    }
    return all;
  }

  private static Map<String, Object> property(String id, Object value) {
    return JsonFields.of("id", id).put("value", value).map();
  }

  private static Map<String, Object> lastValue() {
    return JsonFields.of("calcs", List.of("lastNotNull"))
        .put("fields", "")
        .put("values", false)
        .map();
  }

  private static Map<String, Object> options(Panel panel) {
    return switch (panel.kind()) {
      case STAT ->
          JsonFields.of("reduceOptions", lastValue())
              .put("colorMode", "value")
              .put("graphMode", "area")
              .put("justifyMode", "auto")
              .put("orientation", "auto")
              .put("textMode", "auto")
              .put("wideLayout", true)
              .put("showPercentChange", false)
              .put("percentChangeColorMode", "standard")
              .map();
      case LINES, AREA ->
          JsonFields.of("legend", legend())
              .put("tooltip", JsonFields.of("mode", "multi").put("sort", "desc").map())
              .map();
      case BARS ->
          JsonFields.of("reduceOptions", lastValue())
              .put("displayMode", "basic")
              .put("orientation", "horizontal")
              .put("showUnfilled", true)
              .put("valueMode", "color")
              .put("minVizHeight", 16)
              .put("minVizWidth", 8)
              .put("maxVizHeight", 300)
              .put("namePlacement", "auto")
              .put("sizing", "auto")
              .put(
                  "legend",
                  JsonFields.of("displayMode", "list")
                      .put("placement", "bottom")
                      .put("showLegend", false)
                      .put("calcs", List.of())
                      .map())
              .map();
      case TABLE ->
          JsonFields.of("showHeader", true).put("cellHeight", "sm").put("frameIndex", 0).map();
      case HEATMAP ->
          JsonFields.of("calculate", false)
              .put("cellGap", 1)
              .put(
                  "color",
                  JsonFields.of("mode", "scheme")
                      .put("scheme", "Blues")
                      .put("steps", 32)
                      .put("exponent", 0.5)
                      .put("fill", "dark-blue")
                      .put("reverse", false)
                      .map())
              .put(
                  "yAxis",
                  JsonFields.of("unit", panel.unit().id).put("axisPlacement", "left").map())
              .put("legend", JsonFields.of("show", true).map())
              .put("tooltip", JsonFields.of("mode", "single").put("yHistogram", false).map())
              .put("exemplars", JsonFields.of("color", "rgba(255,0,255,0.7)").map())
              .put("filterValues", JsonFields.of("le", 1e-9).map())
              .put("showValue", "never")
              .put("rowsFrame", JsonFields.of("layout", "auto").map())
              .map();
      case TIMELINE ->
          JsonFields.of("mergeValues", true)
              .put("showValue", "never")
              .put("rowHeight", 0.9)
              .put("legend", legend())
              .put("tooltip", JsonFields.of("mode", "single").put("sort", "none").map())
              .map();
    };
  }

  private static Map<String, Object> legend() {
    return JsonFields.of("displayMode", "list")
        .put("placement", "bottom")
        .put("showLegend", true)
        .put("calcs", List.of())
        .map();
  }

  /// One row for the same labels in all queries; only the columns that the panel names.
  private static List<Object> transformations(Panel panel) {
    Map<String, Object> order = new LinkedHashMap<>();
    Map<String, Object> names = new LinkedHashMap<>();
    panel
        .looks()
        .columns()
        .forEach((column, name) -> {
          String field =
              panel.queries().stream().anyMatch(query -> query.legend().equals(column))
                  ? panel.queries().size() == 1 ? "Value" : "Value #" + column
                  : column;
          order.put(field, order.size());
          names.put(field, name);
        });
    return List.of(
        JsonFields.of("id", "merge").put("options", Map.of()).map(),
        JsonFields.of("id", "organize")
            .put(
                "options",
                JsonFields.of("excludeByName", JsonFields.of("Time", true).map())
                    .put("indexByName", order)
                    .put("renameByName", names)
                    .map())
            .map());
  }
}
