package io.headgate.scheduler.benchmark;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.StringJoiner;
import java.util.TreeMap;

/// One figure of a benchmark: a rate (`…/s`), a time (`ms`) or an amount.
///
/// @param parameters by name
/// @param rounds each round's value
/// @param cpuRounds each round's value by the processor time of the deciding thread: what a machine
///   without other work would come to, but for collecting garbage; empty: not measured
/// @param machine how fast it was in the same run
/// @param goal what it should reach; empty: nothing was promised
record Figure(
    String name,
    Map<String, String> parameters,
    String unit,
    List<Double> rounds,
    List<Double> cpuRounds,
    CpuLoop.Speed machine,
    OptionalDouble goal) {
  private static final double MILLIS_PER_SECOND = 1000;

  Figure {
    parameters = new TreeMap<>(parameters);
    rounds = List.copyOf(rounds);
    cpuRounds = List.copyOf(cpuRounds);
  }

  /// The median of the rounds.
  double value() {
    return median(rounds);
  }

  private static double median(List<Double> values) {
    List<Double> sorted = new ArrayList<>(values);
    Collections.sort(sorted);
    int middle = sorted.size() / 2;
    return sorted.size() % 2 == 1
        ? sorted.get(middle)
        : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
  }

  /// Whether more is better.
  boolean isRate() {
    return unit.endsWith("/s");
  }

  /// How many times as long it takes in another figure.
  double growthTo(Figure other) {
    List<Double> from = cpuRounds.isEmpty() ? rounds : cpuRounds;
    List<Double> to = other.cpuRounds.isEmpty() ? other.rounds : other.cpuRounds;
    return isRate() ? median(from) / median(to) : median(to) / median(from);
  }

  /// One line of JSON. The ratio is the value in units of the calibration, so that machines can be
  /// compared: a rate divided by it, a time in seconds multiplied with it.
  String json() {
    StringJoiner line = new StringJoiner(",", "{", "}");
    line.add("\"name\":\"" + name + "\"");
    StringJoiner named = new StringJoiner(",", "{", "}");
    parameters.forEach((key, text) -> named.add("\"%s\":\"%s\"".formatted(key, text)));
    line.add("\"parameters\":" + named);
    line.add("\"value\":" + number(value()));
    if (!cpuRounds.isEmpty()) {
      line.add("\"cpuValue\":" + number(median(cpuRounds)));
    }
    line.add("\"unit\":\"" + unit + "\"");
    line.add("\"rounds\":" + numbers(rounds));
    if (!cpuRounds.isEmpty()) {
      line.add("\"cpuRounds\":" + numbers(cpuRounds));
    }
    line.add("\"calibration\":" + number(machine.perSecond()));
    line.add("\"cpuCalibration\":" + number(machine.perCpuSecond()));
    addRatio(line, "ratio", rounds, machine.perSecond());
    addRatio(line, "cpuRatio", cpuRounds, machine.perCpuSecond());
    goal.ifPresent(wanted -> {
      line.add("\"goal\":" + number(wanted));
      line.add("\"met\":" + (isRate() ? value() >= wanted : value() <= wanted));
    });
    return line.toString();
  }

  private void addRatio(StringJoiner line, String name, List<Double> values, double speed) {
    if (values.isEmpty() || !(isRate() || unit.equals("ms"))) {
      return;
    }
    double value = median(values);
    line.add(
        "\"%s\":%s"
            .formatted(name, number(isRate() ? value / speed : value / MILLIS_PER_SECOND * speed)));
  }

  private static String numbers(List<Double> values) {
    StringJoiner list = new StringJoiner(",", "[", "]");
    values.forEach(value -> list.add(number(value)));
    return list.toString();
  }

  private static String number(double value) {
    return Math.abs(value) >= 1000 && Math.abs(value) < 1e15
        ? Long.toString(Math.round(value))
        : "%.4g".formatted(value);
  }
}
