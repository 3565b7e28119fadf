package io.headgate.deploy.grafana;

import java.util.List;

/// Panels under one heading.
record Row(String title, List<Panel> panels) {
  static Row of(String title, Panel... panels) {
    return new Row(title, List.of(panels));
  }
}
