package io.headgate.deploy.grafana;

import io.headgate.deploy.metrics.AllMetrics;
import io.headgate.kit.telemetry.MetricDefinition;
import io.headgate.kit.telemetry.MetricDefinition.Kind;
import io.opentelemetry.api.common.AttributeKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Expressions of Prometheus, made from the product's definitions of metrics. So a metric or an
/// attribute that gets another name breaks no dashboard: both change together.
///
/// Queries use no label but the attributes of the metric. Labels of the scrape and of the process
/// differ between a scrape and a push.
final class Promql {
  /// The range of every rate in a dashboard; Grafana fits it to the width of a panel.
  static final String RATE = "$__rate_interval";

  /// The period that the dashboard shows.
  static final String RANGE = "$__range";

  /// The variables of a dashboard that restrict series, by attribute.
  private static final Map<String, String> VARIABLES =
      Map.of(
          "headgate.tenant", "=~\"$tenant\"",
          "headgate.pool", "=~\"(platform/)?$pool\"",
          "headgate.policy", "=~\"$policy\"");

  private Promql() {}

  /// Some series of one metric.
  ///
  /// @param suffix of a histogram: `_bucket`, `_count` or `_sum`
  record Series(MetricDefinition metric, String suffix, List<String> matchers) {
    Series {
      matchers = List.copyOf(matchers);
    }

    /// The series whose attribute has this value.
    Series is(AttributeKey<?> key, String value) {
      return matching(key, "=\"" + value + "\"");
    }

    Series not(AttributeKey<?> key, String value) {
      return matching(key, "!=\"" + value + "\"");
    }

    /// The series whose attribute matches this expression as a whole.
    Series like(AttributeKey<?> key, String expression) {
      return matching(key, "=~\"" + expression + "\"");
    }

    private Series matching(AttributeKey<?> key, String condition) {
      require(metric, key);
      List<String> more = new ArrayList<>(matchers);
      more.add(label(key) + condition);
      return new Series(metric, suffix, more);
    }

    /// The series of this bound, as scrapes and pushes write it: `300.0` and `300`.
    Series bucket(int bound) {
      if (!metric.buckets().contains((double) bound)) {
        throw new IllegalArgumentException(metric.name() + " has no bucket " + bound);
      }
      Series buckets = part("_bucket");
      List<String> more = new ArrayList<>(buckets.matchers);
      more.add("le=~\"" + bound + "(\\\\.0)?\"");
      return new Series(metric, "_bucket", more);
    }

    Series count() {
      return part("_count");
    }

    Series part(String newSuffix) {
      if (metric.kind() != Kind.HISTOGRAM) {
        throw new IllegalArgumentException(metric.name() + " is no histogram");
      }
      return new Series(metric, newSuffix, matchers);
    }

    @Override
    public String toString() {
      String name = AllMetrics.prometheusName(metric) + suffix;
      return matchers.isEmpty() ? name : name + "{" + String.join(",", matchers) + "}";
    }
  }

  /// The series of a metric that the variables of the dashboard choose.
  static Series chosen(MetricDefinition metric) {
    return new Series(
        metric,
        "",
        metric.attributes().stream()
            .filter(key -> VARIABLES.containsKey(key.getKey()))
            .map(key -> label(key) + VARIABLES.get(key.getKey()))
            .toList());
  }

  /// All series of a metric.
  static Series all(MetricDefinition metric) {
    return new Series(metric, "", List.of());
  }

  /// The series of a metric on the nodes that the variable of the dashboard chooses.
  static Series onNodes(MetricDefinition metric) {
    Series series = chosen(metric);
    return series.like(key(metric, "headgate.node"), "$node");
  }

  private static AttributeKey<?> key(MetricDefinition metric, String name) {
    return metric.attributes().stream()
        .filter(key -> key.getKey().equals(name))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException(metric.name() + " has no " + name));
  }

  private static void require(MetricDefinition metric, AttributeKey<?> key) {
    var _ = key(metric, key.getKey());
  }

  static String label(AttributeKey<?> key) {
    return AllMetrics.label(key.getKey());
  }

  /// Labels in a list: `a, b`.
  static String labels(AttributeKey<?>... keys) {
    return Stream.of(keys).map(Promql::label).collect(Collectors.joining(", "));
  }

  static String sum(Object of, AttributeKey<?>... by) {
    return aggregate("sum", of, by);
  }

  static String max(Object of, AttributeKey<?>... by) {
    return aggregate("max", of, by);
  }

  static String min(Object of, AttributeKey<?>... by) {
    return aggregate("min", of, by);
  }

  static String count(Object of, AttributeKey<?>... by) {
    return aggregate("count", of, by);
  }

  static String group(Object of, AttributeKey<?>... by) {
    return aggregate("group", of, by);
  }

  private static String aggregate(String how, Object of, AttributeKey<?>... by) {
    return by.length == 0 ? how + "(" + of + ")" : how + " by (" + labels(by) + ") (" + of + ")";
  }

  /// The value, or 0 where no series exists.
  static String orZero(String expression) {
    if (expression.contains(" by (") && !expression.startsWith("count(")) {
      // It would add a series without labels to those with labels.
      throw new IllegalArgumentException("several series: " + expression);
    }
    return expression + " or vector(0)";
  }

  /// The growth of a counter in a second.
  static String rate(Series counter) {
    return rate(counter, RATE);
  }

  static String rate(Series counter, String range) {
    return "rate(" + counter + "[" + range + "])";
  }

  static String increase(Series counter, String range) {
    return "increase(" + counter + "[" + range + "])";
  }

  /// The growth of a counter, where its first value counts, too. A histogram and many a counter of
  /// rare events appear with their first event, and no rate sees that. A gap of some scrapes is no
  /// beginning.
  static String grown(Series counter, String range) {
    return "((%s unless last_over_time(%s[15m] offset %s)) or %s)"
        .formatted(counter, counter, range, increase(counter, range));
  }

  /// Whole things, of a growth that Prometheus extrapolates; without those of which there are none.
  static String whole(String growth) {
    return round(growth) + " > 0";
  }

  /// Whole things, of a growth that Prometheus extrapolates.
  static String round(String growth) {
    return "round(" + growth + ")";
  }

  /// The same series, with the part of a label behind its last dot or slash.
  static String shortened(String expression, AttributeKey<?> key) {
    String label = label(key);
    return "label_replace(%s, \"%s\", \"$1\", \"%s\", \".*[./](.*)\")"
        .formatted(expression, label, label);
  }

  /// A quantile of a histogram.
  static String quantile(double quantile, Series histogram, AttributeKey<?>... by) {
    return quantile(quantile, histogram, RATE, by);
  }

  static String quantile(double quantile, Series histogram, String range, AttributeKey<?>... by) {
    String buckets = rate(histogram.part("_bucket"), range);
    String labels = by.length == 0 ? "le" : "le, " + labels(by);
    return "histogram_quantile(%s, sum by (%s) (%s))".formatted(quantile, labels, buckets);
  }

  /// The mean of a histogram.
  static String mean(Series histogram) {
    return "sum(%s) / sum(%s)"
        .formatted(rate(histogram.part("_sum")), rate(histogram.part("_count")));
  }

  /// The first series of each side that is smaller; both have the same labels.
  static String smaller(String one, String other) {
    return "((%s) < (%s) or (%s))".formatted(one, other, other);
  }
}
