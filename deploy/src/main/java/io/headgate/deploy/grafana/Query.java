package io.headgate.deploy.grafana;

import io.opentelemetry.api.common.AttributeKey;
import java.util.Arrays;
import java.util.stream.Collectors;

/// One query of a panel.
///
/// @param legend name of its series, with `{{label}}` for the value of a label
/// @param form in which Prometheus is asked
/// @param hasExemplars whether traces are shown as points; of quantiles of histograms
record Query(String expr, String legend, Form form, boolean hasExemplars) {
  /// How a panel reads the answer.
  enum Form {
    /// Over time.
    RANGE("time_series"),
    /// The last values.
    INSTANT("time_series"),
    /// The last values as rows.
    TABLE("table"),
    /// Buckets over time.
    HEATMAP("heatmap");

    final String format;

    Form(String format) {
      this.format = format;
    }
  }

  static Query range(String legend, Object expr) {
    return new Query(expr.toString(), legend, Form.RANGE, false);
  }

  /// Quantiles of a histogram, with traces of some of the measured times.
  static Query quantile(String legend, String expr) {
    return new Query(expr, legend, Form.RANGE, true);
  }

  static Query now(String legend, Object expr) {
    return new Query(expr.toString(), legend, Form.INSTANT, false);
  }

  static Query row(String name, Object expr) {
    return new Query(expr.toString(), name, Form.TABLE, false);
  }

  static Query heatmap(Object expr) {
    return new Query(expr.toString(), "{{le}}", Form.HEATMAP, false);
  }

  /// A legend with the values of attributes: `{{headgate_pool}} {{hw_model}}`.
  static String by(AttributeKey<?>... keys) {
    return Arrays.stream(keys)
        .map(key -> "{{" + Promql.label(key) + "}}")
        .collect(Collectors.joining(" "));
  }
}
