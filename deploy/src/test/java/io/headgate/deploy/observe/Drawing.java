package io.headgate.deploy.observe;

import io.headgate.deploy.observe.MetricStore.Point;
import io.headgate.deploy.observe.MetricStore.Series;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/// Draws the answers of one panel as HTML. It shows whether a panel has data and can be read, and
/// not each detail of Grafana.
///
/// @param width of the panel in pixels
/// @param begin of the shown time
record Drawing(
    Board.Panel panel, List<Line> lines, int width, int height, Instant begin, Instant end) {
  private static final int LEFT = 62;
  private static final int BOTTOM = 18;
  private static final int LEGEND_LINE = 15;
  private static final String[] PALETTE = {
    "#7EB26D", "#EAB839", "#6ED0E0", "#EF843C", "#E24D42", "#1F78C1", "#BA43A9", "#705DA0",
    "#508642"
  };

  /// One series of a panel.
  ///
  /// @param target that it answers
  record Line(Board.Target target, String name, Series series) {}

  static String escape(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }

  String html() {
    if (panel.type().equals("text")) {
      return "<pre>" + escape(panel.json().at("options", "content").text()) + "</pre>";
    }
    if (lines.isEmpty()) {
      return "<div class=none>No data</div>";
    }
    return switch (panel.type()) {
      case "stat", "gauge" -> stats();
      case "bargauge" -> bars();
      case "table" -> table();
      case "heatmap" -> heatmap();
      case "state-timeline" -> states();
      default -> chart();
    };
  }

  private Json defaults() {
    return panel.json().at("fieldConfig", "defaults");
  }

  private String unit() {
    return defaults().at("unit").text();
  }

  private String color(String name, int index) {
    String fixed = property(name, "color").at("fixedColor").text();
    return fixed.isEmpty() ? PALETTE[index % PALETTE.length] : fixed;
  }

  /// A property of the override for one series; empty: there is none.
  private Json property(String name, String id) {
    return panel.json().at("fieldConfig", "overrides").list().stream()
        .filter(each -> each.at("matcher", "options").text().equals(name))
        .flatMap(each -> each.at("properties").list().stream())
        .filter(each -> each.at("id").text().equals(id))
        .map(each -> each.at("value"))
        .findFirst()
        .orElse(new Json(Map.of()));
  }

  private String threshold(double value) {
    String color = "#555";
    for (Json step : defaults().at("thresholds", "steps").list()) {
      if (value >= step.at("value").number(Double.NEGATIVE_INFINITY)) {
        color = step.at("color").text();
      }
    }
    return color;
  }

  private String stats() {
    StringBuilder html = new StringBuilder("<div class=stats>");
    for (Line line : lines) {
      double last = line.series().last();
      html.append(
          "<div style='color:%s'><b>%s</b><br>%s</div>"
              .formatted(threshold(last), Units.text(last, unit()), escape(line.name())));
    }
    return html.append("</div>").toString();
  }

  private String bars() {
    double most =
        defaults()
            .at("max")
            .number(lines.stream().mapToDouble(line -> line.series().last()).max().orElse(1));
    StringBuilder html = new StringBuilder("<div class=bars>");
    for (Line line : lines) {
      double last = line.series().last();
      html.append(
          "<div><span class=bar style='width:%.0f%%;background:%s'></span>%s: <b>%s</b></div>"
              .formatted(
                  most == 0 ? 0 : 50 * last / most,
                  threshold(last),
                  escape(line.name()),
                  Units.text(last, unit())));
    }
    return html.append("</div>").toString();
  }

  private String table() {
    Map<Map<String, String>, Map<String, String>> rows = new LinkedHashMap<>();
    boolean isSingle = panel.targets().size() == 1;
    for (Line line : lines) {
      Map<String, String> row =
          rows.computeIfAbsent(line.series().labels(), labels -> new TreeMap<>(labels));
      row.put(
          isSingle ? "Value" : "Value #" + line.target().id(),
          Units.text(line.series().last(), unit()));
    }
    Json organize =
        panel.json().at("transformations").list().stream()
            .filter(each -> each.at("id").text().equals("organize"))
            .findFirst()
            .map(each -> each.at("options"))
            .orElse(new Json(Map.of()));
    TreeSet<String> names = new TreeSet<>();
    rows.values().forEach(row -> names.addAll(row.keySet()));
    List<String> columns =
        names.stream()
            .filter(name -> !organize.at("excludeByName", name).text().equals("true"))
            .sorted((one, other) ->
                Double.compare(
                    organize.at("indexByName", one).number(99),
                    organize.at("indexByName", other).number(99)))
            .toList();
    StringBuilder html = new StringBuilder("<table><tr>");
    for (String column : columns) {
      String renamed = organize.at("renameByName", column).text();
      html.append("<th>").append(escape(renamed.isEmpty() ? column : renamed)).append("</th>");
    }
    for (Map<String, String> row : rows.values()) {
      html.append("<tr>");
      for (String column : columns) {
        html.append("<td>").append(escape(row.getOrDefault(column, ""))).append("</td>");
      }
    }
    return html.append("</table>").toString();
  }

  private double x(Instant time) {
    double part =
        (double) Duration.between(begin, time).toMillis() / Duration.between(begin, end).toMillis();
    return LEFT + part * (width - LEFT - 10);
  }

  private String svg(int svgHeight, String body) {
    return "<svg width=%d height=%d>%s</svg>".formatted(width, svgHeight, body);
  }

  private String heatmap() {
    Map<Double, Line> byBound = new TreeMap<>();
    for (Line line : lines) {
      String bound = line.series().label("le");
      byBound.put(
          bound.equals("+Inf") ? Double.POSITIVE_INFINITY : Double.parseDouble(bound), line);
    }
    int plot = height - BOTTOM;
    double row = (double) plot / byBound.size();
    StringBuilder body = new StringBuilder();
    Map<Instant, Double> below = new TreeMap<>();
    int index = 0;
    for (Map.Entry<Double, Line> entry : byBound.entrySet()) {
      double top = plot - (index + 1) * row;
      body.append(
          "<text x=2 y=%.0f>%s</text>".formatted(top + row, Units.text(entry.getKey(), "s")));
      for (Point point : entry.getValue().series().points()) {
        double count = point.value() - below.getOrDefault(point.time(), 0.0);
        below.put(point.time(), point.value());
        if (count > 0.01) {
          body.append(
              "<rect x=%.1f y=%.1f width=4 height=%.1f fill='#5794f2' opacity=%.2f />"
                  .formatted(x(point.time()), top, row, Math.min(1, 0.3 + count / 5)));
        }
      }
      index++;
    }
    return svg(height, body.toString());
  }

  private String states() {
    StringBuilder body = new StringBuilder();
    double row = (double) (height - BOTTOM) / lines.size();
    for (int i = 0; i < lines.size(); i++) {
      body.append(
          "<text x=2 y=%.0f>%s</text>".formatted(row * (i + 0.6), escape(lines.get(i).name())));
      for (Point point : lines.get(i).series().points()) {
        body.append(
            "<rect x=%.1f y=%.1f width=4 height=%.1f fill='%s' />"
                .formatted(
                    x(point.time()), row * i + 2, row - 4, point.value() > 0 ? "#73bf69" : "#444"));
      }
    }
    return svg(height, body.toString());
  }

  private boolean isStacked(String name) {
    Json mode = property(name, "custom.stacking").at("mode");
    return (mode.isEmpty() ? defaults().at("custom", "stacking", "mode") : mode)
        .text()
        .equals("normal");
  }

  private String chart() {
    int legend = Math.min(lines.size(), 4) * LEGEND_LINE;
    int plot = height - BOTTOM - legend;
    Map<Instant, Double> sums = new TreeMap<>();
    List<List<double[]>> tops = new ArrayList<>();
    double most = 0;
    for (Line line : lines) {
      boolean isStacked = isStacked(line.name());
      List<double[]> drawn = new ArrayList<>();
      for (Point point : line.series().points()) {
        double floor = isStacked ? sums.getOrDefault(point.time(), 0.0) : 0;
        double top = floor + (Double.isFinite(point.value()) ? point.value() : 0);
        if (isStacked) {
          sums.put(point.time(), top);
        }
        if (Double.isFinite(point.value())) {
          drawn.add(new double[] {x(point.time()), top, floor});
          most = Math.max(most, top);
        }
      }
      tops.add(drawn);
    }
    double scale = most == 0 ? 0 : (plot - 12) / most;
    StringBuilder body = new StringBuilder();
    for (int i = 0; i <= 2; i++) {
      double value = most * i / 2;
      double y = plot - value * scale;
      body.append(
          "<line x1=%d x2=%d y1=%.1f y2=%.1f stroke='#333' /><text x=2 y=%.1f>%s</text>"
              .formatted(LEFT, width - 10, y, y, y + 4, Units.text(value, unit())));
      if (most == 0) {
        break;
      }
    }
    for (int i = 0; i < lines.size(); i++) {
      String name = lines.get(i).name();
      for (List<double[]> part : unbroken(tops.get(i))) {
        body.append(path(part, color(name, i), plot, scale, isStacked(name)));
      }
    }
    body.append(
        "<text x=%d y=%d>%s</text><text x=%d y=%d>%s</text>"
            .formatted(
                LEFT,
                plot + 14,
                begin.toString().substring(11, 19),
                width - 60,
                plot + 14,
                end.toString().substring(11, 19)));
    StringBuilder names = new StringBuilder("<div class=legend>");
    for (int i = 0; i < lines.size(); i++) {
      names.append(
          "<span><i style='background:%s'></i>%s</span> "
              .formatted(color(lines.get(i).name(), i), escape(lines.get(i).name())));
    }
    return svg(plot + BOTTOM, body.toString()) + names.append("</div>");
  }

  /// Parts without gaps, which are longer than three times the usual distance of points.
  private static List<List<double[]>> unbroken(List<double[]> drawn) {
    double usual = Double.POSITIVE_INFINITY;
    for (int i = 1; i < drawn.size(); i++) {
      usual = Math.min(usual, drawn.get(i)[0] - drawn.get(i - 1)[0]);
    }
    List<List<double[]>> parts = new ArrayList<>();
    double last = Double.NEGATIVE_INFINITY;
    for (double[] point : drawn) {
      if (parts.isEmpty() || point[0] - last > 3 * usual) {
        parts.add(new ArrayList<>());
      }
      parts.getLast().add(point);
      last = point[0];
    }
    return parts;
  }

  private String path(
      List<double[]> drawn, String color, int plot, double scale, boolean isStacked) {
    StringBuilder line = new StringBuilder();
    StringBuilder back = new StringBuilder();
    for (double[] point : drawn) {
      line.append("%.1f,%.1f ".formatted(point[0], plot - point[1] * scale));
    }
    List<double[]> reversed = new ArrayList<>(drawn);
    Collections.reverse(reversed);
    for (double[] point : reversed) {
      back.append("%.1f,%.1f ".formatted(point[0], plot - point[2] * scale));
    }
    String area =
        isStacked
            ? "<polygon points='%s%s' fill='%s' opacity=0.6 />".formatted(line, back, color)
            : "";
    String dot =
        drawn.size() == 1
            ? "<circle cx=%.1f cy=%.1f r=3 fill='%s' />"
                .formatted(drawn.getFirst()[0], plot - drawn.getFirst()[1] * scale, color)
            : "";
    return area
        + dot
        + "<polyline points='%s' fill=none stroke='%s' stroke-width=1.5 />".formatted(line, color);
  }
}
