package io.headgate.scheduler.benchmark;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.TreeMap;

/// The core's performance goals, and the allowed growth of its figures.
final class Goals {
  static final double PASS_MILLIS = 20;
  static final double BYTES_PER_JOB = 1024;

  private static final Map<String, Double> DECISIONS =
      Map.of("1000", 50_000.0, "10000", 30_000.0, "50000", 15_000.0);
  private static final Map<String, Double> PREEMPTION =
      Map.of("1000", 5.0, "10000", 20.0, "50000", 80.0);

  /// A figure may take so many times as long when a parameter grows from one value to another.
  private record Growth(String name, String parameter, String from, String to, double most) {}

  private static final List<Growth> GROWTHS =
      List.of(
          new Growth("decisions", "nodes", "1000", "10000", 2),
          new Growth("decisions", "nodes", "1000", "50000", 4),
          new Growth("decisions", "waiting", "100000", "1000000", 1.3),
          new Growth("passWithNothingToStart", "waiting", "100000", "1000000", 1.3));

  private Goals() {}

  static OptionalDouble decisions(Map<String, String> parameters) {
    return ofNodes(DECISIONS, parameters);
  }

  static OptionalDouble preemption(Map<String, String> parameters) {
    return ofNodes(PREEMPTION, parameters);
  }

  private static OptionalDouble ofNodes(Map<String, Double> goals, Map<String, String> parameters) {
    Double goal = goals.get(parameters.getOrDefault("nodes", ""));
    return goal == null ? OptionalDouble.empty() : OptionalDouble.of(goal);
  }

  /// How times grow, by processor time where that is known, between figures that differ in one
  /// parameter, one line of JSON each.
  static List<String> growth(List<Figure> figures) {
    List<String> lines = new ArrayList<>();
    for (Growth growth : GROWTHS) {
      for (Figure from : figures) {
        if (!from.name().equals(growth.name())
            || !growth.from().equals(from.parameters().get(growth.parameter()))) {
          continue;
        }
        Map<String, String> grown = new TreeMap<>(from.parameters());
        grown.put(growth.parameter(), growth.to());
        for (Figure to : figures) {
          if (to.name().equals(growth.name()) && to.parameters().equals(grown)) {
            lines.add(line(growth, from, from.growthTo(to)));
          }
        }
      }
    }
    return lines;
  }

  private static String line(Growth growth, Figure from, double times) {
    Map<String, String> others = new TreeMap<>(from.parameters());
    others.remove(growth.parameter());
    return ("{\"name\":\"%s.growth\",\"parameter\":\"%s\",\"from\":\"%s\",\"to\":\"%s\","
            + "\"others\":\"%s\",\"value\":%.3g,\"unit\":\"times as long\",\"goal\":%s,\"met\":%s}")
        .formatted(
            growth.name(),
            growth.parameter(),
            growth.from(),
            growth.to(),
            others,
            times,
            growth.most(),
            times <= growth.most());
  }
}
