package io.headgate.scheduler;

import java.util.Map;
import java.util.OptionalDouble;
import java.util.StringJoiner;
import java.util.TreeMap;

/// One measured figure.
///
/// @param parameters by name
/// @param unit `…/s` of a rate, `ms` of a time, or of an amount
/// @param calibration how fast the machine did something comparable in the same run, in the
///   figure's own unit; 0: nothing is comparable
/// @param goal what it should reach; empty: nothing was promised
record LoadFigure(
    String name,
    Map<String, String> parameters,
    double value,
    String unit,
    double calibration,
    OptionalDouble goal) {
  LoadFigure {
    parameters = new TreeMap<>(parameters);
  }

  /// One line of JSON. The ratio is the value divided by the calibration, so that machines can be
  /// compared.
  String json() {
    StringJoiner line = new StringJoiner(",", "{", "}");
    line.add("\"name\":\"" + name + "\"");
    StringJoiner named = new StringJoiner(",", "{", "}");
    parameters.forEach((key, text) -> named.add("\"%s\":\"%s\"".formatted(key, text)));
    line.add("\"parameters\":" + named);
    line.add("\"value\":" + number(value));
    line.add("\"unit\":\"" + unit + "\"");
    if (calibration > 0) {
      line.add("\"calibration\":" + number(calibration));
      line.add("\"ratio\":" + number(value / calibration));
    }
    goal.ifPresent(wanted -> {
      boolean rate = unit.endsWith("/s");
      line.add("\"goal\":" + number(wanted));
      line.add("\"met\":" + (rate ? value >= wanted : value <= wanted));
    });
    return line.toString();
  }

  private static String number(double value) {
    return Math.abs(value) >= 1000 ? Long.toString(Math.round(value)) : "%.4g".formatted(value);
  }
}
