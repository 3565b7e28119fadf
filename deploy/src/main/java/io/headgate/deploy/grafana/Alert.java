package io.headgate.deploy.grafana;

/// A condition that needs a person, and what that person does first.
///
/// @param name in Prometheus, and of the notification
/// @param value an expression; each of its series is looked at by itself
/// @param condition of the value
/// @param lasting for how long the condition must hold, in Prometheus' form: `5m`; `0s` at once
/// @param text what the notification says
/// @param dashboard the one that shows more
record Alert(
    String name,
    Severity severity,
    String value,
    Condition condition,
    String lasting,
    Text text,
    String dashboard) {
  /// How soon a person is needed.
  enum Severity {
    /// Now: jobs do not start, or results may be wrong.
    CRITICAL,
    /// Within hours: something is lost or wasted meanwhile.
    WARNING;

    String word() {
      return name().toLowerCase(java.util.Locale.ROOT);
    }
  }

  /// Compares the value of a series with a number.
  record Condition(Comparison comparison, double bound) {
    enum Comparison {
      ABOVE(">", "gt"),
      BELOW("<", "lt");

      /// In Prometheus.
      final String sign;

      /// In Grafana.
      final String word;

      Comparison(String sign, String word) {
        this.sign = sign;
        this.word = word;
      }
    }

    static Condition above(double bound) {
      return new Condition(Comparison.ABOVE, bound);
    }

    static Condition below(double bound) {
      return new Condition(Comparison.BELOW, bound);
    }

    String text() {
      return bound == Math.rint(bound) ? String.valueOf((long) bound) : String.valueOf(bound);
    }
  }

  /// The words of a notification.
  ///
  /// @param summary one line; `{{ $labels.LABEL }}` is replaced
  /// @param description with the numbers: `{{ $value }}` is replaced, too
  /// @param command that shows the cause, or begins the remedy
  record Text(String summary, String description, String command) {}

  /// The whole condition in Prometheus' language.
  String expr() {
    return "(%s) %s %s".formatted(value, condition.comparison().sign, condition.text());
  }
}
