package io.headgate.deploy.grafana;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/// One panel of a dashboard.
///
/// @param about states what it shows, in sentences
/// @param source says where the same question is answered without Grafana
/// @param queries at least one
record Panel(
    String title,
    Kind kind,
    Unit unit,
    String about,
    Source source,
    List<Query> queries,
    Looks looks) {
  Panel {
    queries = List.copyOf(queries);
  }

  /// The form of a panel, by Grafana's names of its types.
  enum Kind {
    STAT("stat", 3, 4),
    LINES("timeseries", 12, 8),
    AREA("timeseries", 12, 8),
    BARS("bargauge", 12, 8),
    TABLE("table", 12, 8),
    HEATMAP("heatmap", 12, 8),
    TIMELINE("state-timeline", 12, 6);

    final String type;
    final int width;
    final int height;

    Kind(String type, int width, int height) {
      this.type = type;
      this.width = width;
      this.height = height;
    }
  }

  /// Where the same question is answered without Grafana.
  ///
  /// @param command of the command line; empty: none answers it
  /// @param page of the documentation, below the root of the repository; empty: none is needed
  /// @param rule of DESIGN and docs/reference/rules.md that the panel watches; empty: none
  record Source(String command, String page, String rule) {
    static final Source UNKNOWN = new Source("", "", "");
  }

  /// How a panel looks.
  ///
  /// @param columns of a table, by the label or the name of the query, in their order
  /// @param repeat variable for whose values the panel is repeated; empty: it is not
  /// @param leadsTo a dashboard with details; empty: there is none
  record Looks(
      int width,
      int height,
      List<Threshold> thresholds,
      Map<String, String> columns,
      String repeat,
      String leadsTo) {}

  private static Panel of(String title, Kind kind, Unit unit, String about) {
    return new Panel(
        title,
        kind,
        unit,
        about,
        Source.UNKNOWN,
        List.of(),
        new Looks(kind.width, kind.height, List.of(), Map.of(), "", ""));
  }

  static Panel stat(String title, Unit unit, String about) {
    return of(title, Kind.STAT, unit, about).thresholds(Threshold.NONE);
  }

  static Panel lines(String title, Unit unit, String about) {
    return of(title, Kind.LINES, unit, about);
  }

  /// Areas on top of each other: their sum says something.
  static Panel area(String title, Unit unit, String about) {
    return of(title, Kind.AREA, unit, about);
  }

  static Panel bars(String title, Unit unit, String about) {
    return of(title, Kind.BARS, unit, about).thresholds(Threshold.NONE);
  }

  /// @param columns the shown name of each label and query; the others are left out
  static Panel table(String title, Unit unit, String about, Map<String, String> columns) {
    Panel panel = of(title, Kind.TABLE, unit, about);
    Looks it = panel.looks;
    return panel.with(
        new Looks(it.width, it.height, it.thresholds, columns, it.repeat, it.leadsTo));
  }

  static Panel heatmap(String title, Unit unit, String about) {
    return of(title, Kind.HEATMAP, unit, about);
  }

  /// Stretches of time in which a value is 1 or 0.
  static Panel timeline(String title, String about) {
    return of(title, Kind.TIMELINE, Unit.NONE, about).thresholds(Threshold.ONE_IS_GOOD);
  }

  private Panel with(Looks newLooks) {
    return new Panel(title, kind, unit, about, source, queries, newLooks);
  }

  private Panel with(Source newSource) {
    return new Panel(title, kind, unit, about, newSource, queries, looks);
  }

  Panel query(Query... more) {
    return new Panel(
        title,
        kind,
        unit,
        about,
        source,
        Stream.concat(queries.stream(), Stream.of(more)).toList(),
        looks);
  }

  /// The command that answers the same question.
  Panel asks(String command) {
    return with(new Source(command, source.page, source.rule));
  }

  /// The page that explains it.
  Panel explainedBy(String page) {
    return with(new Source(source.command, page, source.rule));
  }

  Panel watches(String rule) {
    return with(new Source(source.command, source.page, rule));
  }

  Panel thresholds(List<Threshold> thresholds) {
    return with(
        new Looks(
            looks.width,
            looks.height,
            List.copyOf(thresholds),
            looks.columns,
            looks.repeat,
            looks.leadsTo));
  }

  Panel size(int width, int height) {
    return with(
        new Looks(width, height, looks.thresholds, looks.columns, looks.repeat, looks.leadsTo));
  }

  Panel repeatFor(String variable) {
    return with(
        new Looks(
            looks.width, looks.height, looks.thresholds, looks.columns, variable, looks.leadsTo));
  }

  Panel leadsTo(String dashboard) {
    return with(
        new Looks(
            looks.width, looks.height, looks.thresholds, looks.columns, looks.repeat, dashboard));
  }

  /// The text that Grafana shows behind the information sign.
  String description() {
    StringBuilder text = new StringBuilder(about);
    if (!source.command.isEmpty()) {
      text.append("\n\nOn the command line: `").append(source.command).append('`');
    }
    if (!source.page.isEmpty()) {
      text.append("\n\nExplained in ").append(source.page);
    }
    if (!source.rule.isEmpty()) {
      text.append("\n\nRule ").append(source.rule).append(" of docs/reference/rules.md");
    }
    return text.toString();
  }
}
