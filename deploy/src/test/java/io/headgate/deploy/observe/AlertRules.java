package io.headgate.deploy.observe;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// The rules of a file of Prometheus.
public final class AlertRules {
  private AlertRules() {}

  /// One alert.
  public record Alert(String name, String query) {
    /// The query without its thresholds: a comparison gives 0 or 1 instead of choosing series.
    public String inner() {
      StringBuilder inner = new StringBuilder();
      int depth = 0;
      char quote = 0;
      for (int i = 0; i < query.length(); i++) {
        char each = query.charAt(i);
        inner.append(each);
        if (quote != 0) {
          quote = each == quote ? 0 : quote;
        } else if (each == '"' || each == '\'') {
          quote = each;
        } else if (each == '{') {
          depth++;
        } else if (each == '}') {
          depth--;
        } else if (depth == 0 && "<>=!".indexOf(each) >= 0) {
          if (i + 1 < query.length() && query.charAt(i + 1) == '=') {
            inner.append('=');
            i++;
          }
          if (!query.substring(i + 1).stripLeading().startsWith("bool")) {
            inner.append(" bool ");
          }
        }
      }
      return inner.toString();
    }
  }

  public static List<Alert> read(Path file) throws IOException {
    List<Alert> alerts = new ArrayList<>();
    for (Json group : Json.read(Files.readString(file)).at("groups").list()) {
      for (Json rule : group.at("rules").list()) {
        if (!rule.at("alert").isEmpty()) {
          alerts.add(new Alert(rule.at("alert").text(), rule.at("expr").text().strip()));
        }
      }
    }
    return alerts;
  }
}
