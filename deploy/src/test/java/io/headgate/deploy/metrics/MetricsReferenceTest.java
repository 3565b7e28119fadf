package io.headgate.deploy.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.kit.telemetry.MetricDefinition;
import io.opentelemetry.api.common.AttributeKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/// Keeps the tables of docs/reference/metrics.md equal to the definitions in code.
class MetricsReferenceTest {
  private static final Path PAGE = Path.of("../docs/reference/metrics.md");
  private static final String RENEWAL =
      "mvn test -pl deploy -am -Dtest=MetricsReferenceTest"
          + " -Dsurefire.failIfNoSpecifiedTests=false -Dheadgate.docs.write=true";

  /// Everything after this heading is generated.
  private static final String HEADING = "## All metrics\n";

  @Test
  void thePageHasEveryMetric() throws IOException {
    String page = Files.readString(PAGE);
    assertThat(page).contains(HEADING);
    String wanted = page.substring(0, page.indexOf(HEADING)) + HEADING + tables();
    if (Boolean.getBoolean("headgate.docs.write")) {
      Files.writeString(PAGE, wanted);
    }
    assertThat(PAGE).content().as("renew it: " + RENEWAL).isEqualTo(wanted);
  }

  @Test
  void noNameStandsForTwoMetrics() {
    assertThat(AllMetrics.stream().map(MetricDefinition::name)).doesNotHaveDuplicates();
    assertThat(AllMetrics.stream().map(AllMetrics::prometheusName)).doesNotHaveDuplicates();
  }

  @Test
  void noMetricTellsJobsOrUsersApart() {
    List<String> attributes =
        AllMetrics.stream()
            .flatMap(metric -> metric.attributes().stream())
            .map(AttributeKey::getKey)
            .distinct()
            .toList();
    assertThat(attributes)
        .doesNotContain("headgate.job", "headgate.user", "headgate.attempt", "headgate.job.id");
  }

  @Test
  void everyMeaningIsAPhrase() {
    for (MetricDefinition metric : AllMetrics.stream().toList()) {
      assertThat(metric.meaning()).as(metric.name()).isNotEmpty().doesNotEndWith(".");
    }
  }

  private static String tables() {
    StringBuilder text =
        new StringBuilder(
            """

            The tables come from the code; do not edit them. A test compares both and names the command that writes them
            again. Another test compares them with a running installation.
            """);
    for (AllMetrics.Section section : AllMetrics.SECTIONS) {
      text.append("\n### ").append(section.heading()).append("\n\n");
      if (!section.about().isEmpty()) {
        text.append(section.about()).append("\n\n");
      }
      text.append("| name | in Prometheus | type | unit | attributes | meaning | appears when |\n");
      text.append("|---|---|---|---|---|---|---|\n");
      section.metrics().forEach(metric -> text.append(row(metric)));
    }
    return text.toString();
  }

  private static String row(MetricDefinition metric) {
    return "| `%s` | `%s` | %s | %s | %s | %s | %s |\n"
        .formatted(
            metric.name(),
            AllMetrics.prometheusName(metric),
            metric.kind().name().toLowerCase(Locale.ROOT).replace('_', ' '),
            metric.unit().isEmpty() ? "–" : "`" + metric.unit() + "`",
            metric.attributes().isEmpty()
                ? "–"
                : metric.attributes().stream()
                    .map(key -> "`" + key.getKey() + "`")
                    .collect(Collectors.joining(", ")),
            metric.meaning(),
            appears(metric));
  }

  private static String appears(MetricDefinition metric) {
    String zero = metric.atZero().isEmpty() ? "" : "at 0 " + metric.atZero();
    if (metric.condition().isEmpty()) {
      return zero.isEmpty() ? "–" : zero;
    }
    return zero.isEmpty() ? metric.condition() : metric.condition() + "; " + zero;
  }
}
