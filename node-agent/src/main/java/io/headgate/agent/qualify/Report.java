package io.headgate.agent.qualify;

import io.headgate.agent.core.JsonText;
import io.headgate.agent.qualify.Finding.Verdict;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/// The results of a machine.
///
/// @param machine its properties, by name and in this order
/// @param results in the order in which the experiments were done
public record Report(Map<String, String> machine, List<Result> results) {
  /// One experiment and its result.
  ///
  /// @param millis that it took
  public record Result(
      String experiment, String claim, String needs, Finding finding, long millis) {}

  private static final int NAME_WIDTH = 28;

  public Report {
    machine = new LinkedHashMap<>(machine);
    results = List.copyOf(results);
  }

  /// The results with this verdict.
  public List<Result> with(Verdict verdict) {
    return results.stream().filter(result -> result.finding().verdict() == verdict).toList();
  }

  /// The report as a table for people.
  public String table() {
    StringBuilder table = new StringBuilder();
    machine.forEach((name, value) -> table.append("%-18s %s\n".formatted(name, value)));
    table.append('\n');
    for (Result result : results) {
      Finding finding = result.finding();
      table.append(
          "%-9s  %-28s %s\n"
              .formatted(word(finding.verdict()), result.experiment(), finding.words()));
      if (!finding.measured().isEmpty()) {
        table
            .append(" ".repeat(11 + NAME_WIDTH + 1))
            .append(
                finding.measured().entrySet().stream()
                    .map(figure -> figure.getKey() + ": " + figure.getValue())
                    .collect(Collectors.joining(", ")))
            .append('\n');
      }
    }
    table.append(
        "\n%d passed, %d failed, %d not shown\n"
            .formatted(
                with(Verdict.PASSED).size(),
                with(Verdict.FAILED).size(),
                with(Verdict.NOT_SHOWN).size()));
    return table.toString();
  }

  private static String word(Verdict verdict) {
    return switch (verdict) {
      case PASSED -> "passed";
      case FAILED -> "FAILED";
      case NOT_SHOWN -> "not shown";
    };
  }

  /// The report as JSON for programs.
  public String json() {
    List<String> experiments = new ArrayList<>();
    for (Result result : results) {
      Finding finding = result.finding();
      experiments.add(
          "    {\"experiment\": %s, \"verdict\": %s,\n     \"claim\": %s,\n     \"needs\": %s,\n"
                  .formatted(
                      JsonText.of(result.experiment()),
                      JsonText.of(finding.verdict().name()),
                      JsonText.of(result.claim()),
                      JsonText.of(result.needs()))
              + "     \"words\": %s,\n     \"measured\": %s, \"millis\": %d}"
                  .formatted(
                      JsonText.of(finding.words()), object(finding.measured()), result.millis()));
    }
    return "{\n  \"machine\": %s,\n  \"experiments\": [\n%s\n  ]\n}\n"
        .formatted(object(machine), String.join(",\n", experiments));
  }

  private static String object(Map<String, String> values) {
    return values.entrySet().stream()
        .map(entry -> JsonText.of(entry.getKey()) + ": " + JsonText.of(entry.getValue()))
        .collect(Collectors.joining(", ", "{", "}"));
  }
}
