package io.headgate.deploy.grafana;

import java.util.List;
import java.util.stream.Stream;

/// One dashboard.
///
/// @param id its stable id, and the name of its file
/// @param about one sentence
record Dashboard(
    String id, String title, String about, List<Annotation> annotations, List<Row> rows) {
  Dashboard {
    annotations = List.copyOf(annotations);
    rows = List.copyOf(rows);
  }

  Stream<Panel> panels() {
    return rows.stream().flatMap(row -> row.panels().stream());
  }

  /// Whether a query depends on this variable.
  boolean uses(String variable) {
    return panels()
        .anyMatch(panel ->
            panel.looks().repeat().equals(variable)
                || panel.queries().stream()
                    .anyMatch(query -> query.expr().matches("(?s).*\\$" + variable + "\\b.*")));
  }
}
