package io.headgate.sdk.cli.command.usage;

import io.headgate.sdk.cli.command.usage.MeteredRow.Kind;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// Metered rows in the text form of OpenMetrics 1.0, each with the end of its period as its time.
/// Labels are called as those of Headgate's metrics. The form wants all points of one series
/// together, in the order of time.
final class OpenMetricsText {
  /// Lines by family and labels.
  private final Map<Family, TreeMap<String, StringBuilder>> series = new LinkedHashMap<>();

  private enum Family {
    GPU("headgate_usage_gpu_seconds", "seconds", "GPU time of one period, by kind."),
    STARTS("headgate_usage_starts", "", "Attempts that began in one period."),
    COST("headgate_usage_cost", "", "Cost of the GPU time of one period, at the prices of then.");

    private final String name;
    private final String unit;
    private final String help;

    Family(String name, String unit, String help) {
      this.name = name;
      this.unit = unit;
      this.help = help;
    }
  }

  OpenMetricsText() {
    for (Family family : Family.values()) {
      series.put(family, new TreeMap<>());
    }
  }

  /// Adds the points of a row; rows come in the order of time.
  void add(MeteredRow row) {
    for (Kind kind : Kind.values()) {
      BigInteger time = row.time(kind);
      if (time.signum() > 0) {
        point(Family.GPU, row, "usage_kind", kind.metric, GpuHours.seconds(time));
      }
    }
    if (row.usage().getStarts() > 0) {
      point(Family.STARTS, row, "", "", String.valueOf(row.usage().getStarts()));
    }
    row.usage()
        .getCostsList()
        .forEach(cost ->
            point(
                Family.COST,
                row,
                "currency",
                cost.getCurrency(),
                new BigDecimal(cost.getAmount()).toPlainString()));
  }

  private void point(Family family, MeteredRow row, String label, String text, String value) {
    Map<String, String> labels = new LinkedHashMap<>(row.keys());
    if (!label.isEmpty()) {
      labels.put(label, text);
    }
    String key =
        labels.entrySet().stream()
            .map(entry -> "headgate_%s=\"%s\"".formatted(entry.getKey(), escaped(entry.getValue())))
            .collect(Collectors.joining(",", "{", "}"));
    series
        .computeIfAbsent(family, _ -> new TreeMap<>())
        .computeIfAbsent(key, _ -> new StringBuilder())
        .append("%s%s %s %s\n".formatted(family.name, key, value, seconds(row.until())));
  }

  private static String escaped(String text) {
    return text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
  }

  private static String seconds(Instant time) {
    return String.valueOf(time.getEpochSecond());
  }

  String text() {
    StringBuilder text = new StringBuilder();
    series.forEach((family, lines) -> {
      text.append("# TYPE ").append(family.name).append(" gauge\n");
      if (!family.unit.isEmpty()) {
        text.append("# UNIT ").append(family.name).append(' ').append(family.unit).append('\n');
      }
      text.append("# HELP ").append(family.name).append(' ').append(family.help).append('\n');
      lines.values().forEach(text::append);
    });
    return text.append("# EOF\n").toString();
  }
}
