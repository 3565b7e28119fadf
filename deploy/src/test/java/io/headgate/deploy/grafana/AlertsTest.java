package io.headgate.deploy.grafana;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Every alert fires when it must, and is silent otherwise, in Prometheus itself.
class AlertsTest {
  private static final Path ALERTS = Path.of("grafana/alerts").toAbsolutePath();
  private static final Path RULES = ALERTS.resolve("headgate.rules.yaml");
  private static final Path CASES = ALERTS.resolve("tests");

  @Test
  void prometheusAcceptsTheRules(@TempDir Path directory) throws Exception {
    Promtool.succeeds(directory, "check", "rules", RULES.toString());
  }

  @Test
  void everyAlertFiresAndIsSilent(@TempDir Path directory) throws Exception {
    List<String> words =
        Stream.concat(Stream.of("test", "rules"), cases().stream().map(Path::toString)).toList();
    Promtool.succeeds(directory, words.toArray(new String[0]));
  }

  @Test
  void everyAlertHasACaseOfEachKind() throws IOException {
    StringBuilder all = new StringBuilder();
    for (Path file : cases()) {
      all.append(Files.readString(file));
    }
    String text = all.toString();
    for (Alert alert : Alerts.stream().toList()) {
      assertThat(text)
          .as(alert.name() + " is silent in a case")
          .containsPattern(Pattern.compile("alertname: " + alert.name() + "\n +exp_alerts: \\[]"));
      assertThat(text)
          .as(alert.name() + " fires in a case")
          .containsPattern(Pattern.compile("alertname: " + alert.name() + "\n +exp_alerts:\n"));
    }
  }

  @Test
  void namesAndTextsAreWhole() {
    assertThat(Alerts.stream().map(Alert::name)).doesNotHaveDuplicates();
    Alerts.stream()
        .forEach(alert -> {
          assertThat(alert.name()).startsWith("Headgate");
          assertThat(alert.text().summary()).as(alert.name()).doesNotEndWith(".");
          assertThat(alert.text().description()).as(alert.name()).endsWith(".");
          assertThat(alert.text().command()).as(alert.name()).startsWith("headgate ");
        });
    assertThat(Alerts.GROUPS)
        .as("Grafana looks at a group every ten seconds, or a multiple of that")
        .allMatch(group -> group.seconds() % 10 == 0);
  }

  @Test
  void thePageNamesEveryAlertWithItsCommand() throws IOException {
    String page = Files.readString(Path.of("../docs/operations/dashboards.md"));
    for (Alert alert : Alerts.stream().toList()) {
      String command =
          alert
              .text()
              .command()
              .replaceAll("\\{\\{ \\$labels\\.headgate_([a-z]+) }}", "<$1>")
              .toUpperCase(Locale.ROOT);
      assertThat(page.lines().filter(line -> line.startsWith("| `" + alert.name() + "` |")))
          .as(alert.name())
          .singleElement()
          .satisfies(line ->
              assertThat(line.toUpperCase(Locale.ROOT))
                  .endsWith("| `" + command.replace("<", "").replace(">", "") + "` |"));
    }
    for (Dashboard dashboard : GrafanaFiles.DASHBOARDS) {
      String name = dashboard.title().replaceFirst("Headgate / (\\d+) ", "$1 | ");
      assertThat(page).contains("| " + name + " |");
    }
  }

  private static List<Path> cases() throws IOException {
    try (Stream<Path> files = Files.list(CASES)) {
      return files.sorted().toList();
    }
  }
}
