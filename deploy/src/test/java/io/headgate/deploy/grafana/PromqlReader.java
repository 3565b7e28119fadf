package io.headgate.deploy.grafana;

import io.headgate.deploy.metrics.AllMetrics;
import io.headgate.kit.telemetry.MetricDefinition;
import io.headgate.kit.telemetry.MetricDefinition.Kind;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// Finds the metrics and labels of an expression of Prometheus, and what is wrong with them.
final class PromqlReader {
  private static final Pattern TOKEN =
      Pattern.compile(
          "\"(?:[^\"\\\\]|\\\\.)*\"|\\$[a-z_]+|[0-9]+(?:\\.[0-9]+)?(?:e-?[0-9]+)?[a-z]*"
              + "|[a-zA-Z_:][a-zA-Z0-9_:]*|[{}()\\[\\],]|[=!<>~]+|\\S");
  private static final Set<String> LISTS = Set.of("by", "without", "on", "ignoring", "group_left");
  private static final Set<String> WORDS =
      Set.of("and", "or", "unless", "bool", "offset", "group_left", "on", "by");

  private final List<String> tokens;
  private final List<String> faults = new ArrayList<>();
  private final Set<String> metrics = new TreeSet<>();
  private final Set<String> labels = new HashSet<>();
  private final Set<String> asked = new TreeSet<>();

  private PromqlReader(String expr) {
    tokens = TOKEN.matcher(expr).results().map(MatchResult::group).toList();
  }

  /// The faults: names that no metric has, and labels that the metric does not have.
  static List<String> faults(String expr) {
    return new PromqlReader(expr).read().faults;
  }

  /// The names of the series that the expression reads.
  static Set<String> metrics(String expr) {
    return new PromqlReader(expr).read().metrics;
  }

  private PromqlReader read() {
    for (int at = 0; at < tokens.size(); at++) {
      String token = tokens.get(at);
      if (LISTS.contains(token) && at + 1 < tokens.size() && tokens.get(at + 1).equals("(")) {
        at = list(at + 2);
      } else if (Character.isLetter(token.charAt(0)) && !WORDS.contains(token)) {
        boolean isFunction = at + 1 < tokens.size() && tokens.get(at + 1).equals("(");
        boolean isAggregation = at + 1 < tokens.size() && LISTS.contains(tokens.get(at + 1));
        if (!isFunction && !isAggregation) {
          at = selector(at);
        }
      }
    }
    asked.removeAll(labels);
    asked.forEach(label -> faults.add("no metric of the expression has the label " + label));
    return this;
  }

  private int list(int from) {
    int at = from;
    for (; !tokens.get(at).equals(")"); at++) {
      if (!tokens.get(at).equals(",")) {
        asked.add(tokens.get(at));
      }
    }
    return at;
  }

  /// A name, and the conditions after it.
  private int selector(int from) {
    String name = tokens.get(from);
    Optional<MetricDefinition> metric = metric(name);
    metrics.add(name);
    Set<String> known = new HashSet<>();
    if (metric.isEmpty()) {
      faults.add("no metric is called " + name);
    } else {
      metric.get().attributes().forEach(key -> known.add(AllMetrics.label(key.getKey())));
      if (name.endsWith("_bucket")) {
        known.add("le");
      }
    }
    labels.addAll(known);
    int at = from + 1;
    if (at < tokens.size() && tokens.get(at).equals("{")) {
      for (at++; !tokens.get(at).equals("}"); at++) {
        if (tokens.get(at + 1).matches("[=!~]+")) {
          if (metric.isPresent() && !known.contains(tokens.get(at))) {
            faults.add(name + " has no label " + tokens.get(at));
          }
          at += 2;
        }
        if (tokens.get(at).equals("}")) {
          break;
        }
      }
      return at;
    }
    return from;
  }

  private static Optional<MetricDefinition> metric(String name) {
    Matcher histogram = Pattern.compile("(.*)_(?:bucket|sum|count)").matcher(name);
    if (histogram.matches()) {
      Optional<MetricDefinition> found =
          AllMetrics.byPrometheusName(histogram.group(1))
              .filter(metric -> metric.kind() == Kind.HISTOGRAM);
      if (found.isPresent()) {
        return found;
      }
    }
    return AllMetrics.byPrometheusName(name).filter(metric -> metric.kind() != Kind.HISTOGRAM);
  }

  /// The variables of Grafana in a text.
  static Set<String> variables(String text) {
    return Pattern.compile("\\$\\{?([a-zA-Z_]+)")
        .matcher(text)
        .results()
        .map(found -> found.group(1))
        .collect(Collectors.toSet());
  }
}
