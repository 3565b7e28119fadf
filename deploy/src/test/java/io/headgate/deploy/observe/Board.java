package io.headgate.deploy.observe;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// A dashboard file of Grafana in the classic form, as far as its queries and its drawing need it.
///
/// @param all value of each variable when all of its values are chosen
public record Board(
    String uid,
    String title,
    List<Panel> panels,
    List<Target> annotations,
    Map<String, String> all) {
  private static final Pattern VARIABLE =
      Pattern.compile("\\$\\{(\\w+)(?::\\w+)?}|\\$(\\w+)|\\[\\[(\\w+)]]");

  /// A query.
  ///
  /// @param isInstant only its last value is shown
  public record Target(String id, String query, String legend, boolean isInstant) {}

  /// A panel, with its place in a grid of 24 columns.
  ///
  /// @param row title of the row above it
  /// @param json all of it
  public record Panel(String row, String title, String type, List<Target> targets, Json json) {}

  /// Reads all files of a directory, by their names.
  public static List<Board> readAll(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      List<Board> boards = new ArrayList<>();
      for (Path file : files.filter(each -> each.toString().endsWith(".json")).sorted().toList()) {
        boards.add(read(Files.readString(file)));
      }
      return boards;
    }
  }

  static Board read(String text) {
    Json json = Json.read(text);
    List<Panel> panels = new ArrayList<>();
    add(panels, json);
    Map<String, String> all = new TreeMap<>();
    for (Json variable : json.at("templating", "list").list()) {
      String value = variable.at("allValue").text();
      all.put(variable.at("name").text(), value.isEmpty() || value.equals("null") ? ".*" : value);
    }
    return new Board(
        json.at("uid").text(),
        json.at("title").text(),
        panels,
        json.at("annotations", "list").list().stream()
            .filter(each -> !each.at("expr").isEmpty())
            .map(each -> new Target(each.at("name").text(), each.at("expr").text(), "", false))
            .toList(),
        all);
  }

  private static void add(List<Panel> panels, Json parent) {
    String row = "";
    for (Json panel : parent.at("panels").list()) {
      if (panel.at("type").text().equals("row")) {
        row = panel.at("title").text();
        add(panels, panel);
        continue;
      }
      panels.add(
          new Panel(
              row,
              panel.at("title").text(),
              panel.at("type").text(),
              panel.at("targets").list().stream().map(Board::target).toList(),
              panel));
    }
  }

  private static Target target(Json target) {
    return new Target(
        target.at("refId").text(),
        target.at("expr").text(),
        target.at("legendFormat").text(),
        target.at("instant").text().equals("true"));
  }

  /// A query as Grafana sends it when all values are chosen.
  ///
  /// @param range shown time
  /// @param interval of rates and steps
  public String expand(String query, Duration range, Duration interval) {
    Matcher matcher = VARIABLE.matcher(query);
    StringBuilder expanded = new StringBuilder();
    while (matcher.find()) {
      String name =
          Stream.of(matcher.group(1), matcher.group(2), matcher.group(3))
              .filter(each -> each != null)
              .findFirst()
              .orElseThrow();
      String value =
          switch (name) {
            case "__rate_interval", "__interval" -> interval.toSeconds() + "s";
            case "__range" -> range.toSeconds() + "s";
            case "__range_s" -> "" + range.toSeconds();
            default -> all.getOrDefault(name, matcher.group());
          };
      matcher.appendReplacement(expanded, Matcher.quoteReplacement(value));
    }
    return matcher.appendTail(expanded).toString();
  }
}
