package io.headgate.deploy.observe;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/// Asks a store for the data of all panels and alerts.
///
/// @param began when the data begins
/// @param rates interval of rates
public record PanelCheck(MetricStore store, Instant began, Duration rates) {
  /// Whether the query has had a value since the beginning; NaN is none.
  public boolean hasData(String query) {
    long seconds = Duration.between(began, Instant.now()).toSeconds() + 1;
    return !store
        .now("count(last_over_time(((%s) >= -Inf)[%ds:1s]))".formatted(query, seconds))
        .isEmpty();
  }

  /// The panels with a query that has no data.
  ///
  /// @param isLeftOut queries that are not asked
  public List<String> emptyPanels(Path dashboards, Predicate<String> isLeftOut) throws IOException {
    List<String> empty = new ArrayList<>();
    for (Board board : Board.readAll(dashboards)) {
      for (Board.Panel panel : board.panels()) {
        for (Board.Target target : panel.targets()) {
          if (!isLeftOut.test(target.query()) && !hasData(inShort(board, target.query()))) {
            empty.add("%s / %s: %s".formatted(board.title(), panel.title(), target.query()));
          }
        }
      }
    }
    return empty;
  }

  /// The data of a test is younger than the steps of minutes in queries.
  private String inShort(Board board, String query) {
    Duration range = Duration.between(began, Instant.now());
    return board.expand(query, range, rates).replaceAll(":\\d+[ms]]", ":1s]");
  }

  /// The alerts that look at nothing.
  ///
  /// @param isLeftOut queries that are not asked
  public List<String> emptyAlerts(Path rules, Predicate<String> isLeftOut) throws IOException {
    return AlertRules.read(rules).stream()
        .filter(alert -> !isLeftOut.test(alert.query()) && !hasData(alert.inner()))
        .map(Object::toString)
        .toList();
  }
}
