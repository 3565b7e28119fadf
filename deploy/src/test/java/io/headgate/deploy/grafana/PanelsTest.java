package io.headgate.deploy.grafana;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.sdk.cli.command.CommandRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/// Each panel and each alert says what it is about, and where its question is answered without
/// Grafana.
class PanelsTest {
  private static final Path ROOT = Path.of("..");

  private static Stream<Panel> panels() {
    return GrafanaFiles.DASHBOARDS.stream().flatMap(Dashboard::panels);
  }

  @Test
  void everyPanelIsDescribed() {
    panels()
        .forEach(panel -> {
          assertThat(panel.queries()).as(panel.title()).isNotEmpty();
          assertThat(panel.about()).as(panel.title()).endsWith(".");
          assertThat(panel.source().command() + panel.source().page())
              .as("%s: a command or a page", panel.title())
              .isNotEmpty();
        });
  }

  @Test
  void panelsFillTheirLines() {
    for (Dashboard dashboard : GrafanaFiles.DASHBOARDS) {
      for (Row row : dashboard.rows()) {
        int width =
            row.panels().stream()
                .filter(panel -> panel.looks().repeat().isEmpty())
                .mapToInt(panel -> panel.looks().width())
                .sum();
        assertThat(width % 24).as("%s: %s", dashboard.title(), row.title()).isZero();
      }
    }
  }

  @Test
  void everyCommandExists() {
    Set<String> commands = new TreeSet<>();
    panels().map(panel -> panel.source().command()).forEach(commands::add);
    Alerts.stream().map(alert -> alert.text().command()).forEach(commands::add);
    commands.remove("");
    List<String> faults = new ArrayList<>();
    commands.forEach(command -> fault(command).ifPresent(faults::add));
    assertThat(commands).hasSizeGreaterThan(20);
    assertThat(faults).isEmpty();
  }

  @Test
  void aCommandThatDoesNotExistIsFound() {
    assertThat(fault("headgate use --by policy")).isPresent();
    assertThat(fault("headgate usage --buy policy")).isPresent();
    assertThat(fault("headgate usage --by policy")).isEmpty();
  }

  private static Optional<String> fault(String command) {
    String[] words = command.replaceAll("\\{\\{.*?}}", "name").split(" ");
    if (!words[0].equals("headgate")) {
      return Optional.of(command + ": begins with headgate");
    }
    return CommandRegistry.find(words[1])
        .map(found -> {
          try {
            var _ =
                new CommandLine(found.create().get())
                    .setCaseInsensitiveEnumValuesAllowed(true)
                    .parseArgs(List.of(words).subList(2, words.length).toArray(new String[0]));
            return Optional.<String>empty();
          } catch (CommandLine.ParameterException e) {
            return Optional.of(command + ": " + e.getMessage());
          }
        })
        .orElseGet(() -> Optional.of(command + ": no such command"));
  }

  @Test
  void everyPageAndRuleExists() throws IOException {
    String rules = Files.readString(ROOT.resolve("docs/reference/rules.md"));
    panels()
        .forEach(panel -> {
          Panel.Source source = panel.source();
          if (!source.page().isEmpty()) {
            assertThat(ROOT.resolve(source.page())).as(panel.title()).isRegularFile();
          }
          if (!source.rule().isEmpty()) {
            assertThat(
                    Pattern.compile("(?:\\| |\\*\\*)" + source.rule() + "(?: \\||\\*\\*)")
                        .matcher(rules)
                        .find())
                .as("%s: rule %s", panel.title(), source.rule())
                .isTrue();
          }
        });
  }

  @Test
  void linksLeadToDashboards() {
    Set<String> ids =
        GrafanaFiles.DASHBOARDS.stream().map(Dashboard::id).collect(Collectors.toSet());
    assertThat(ids).hasSize(10);
    assertThat(ids).containsAll(Alerts.stream().map(Alert::dashboard).toList());
    assertThat(ids)
        .containsAll(
            panels().map(panel -> panel.looks().leadsTo()).filter(id -> !id.isEmpty()).toList());
  }

  @Test
  void idsNeverChange() {
    assertThat(GrafanaFiles.DASHBOARDS.stream().map(Dashboard::id))
        .containsExactly(
            "headgate-fleet",
            "headgate-policies",
            "headgate-queues",
            "headgate-preemption",
            "headgate-devices",
            "headgate-nodes",
            "headgate-scheduler",
            "headgate-cost",
            "headgate-tenants",
            "headgate-health");
    assertThat(panels().map(Panel::title)).isNotEmpty();
  }
}
