package io.headgate.deploy.grafana;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.deploy.grafana.Panel.Kind;
import io.headgate.deploy.metrics.AllMetrics;
import io.headgate.kit.telemetry.MetricDefinition;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Every query of every dashboard and alert, as the files have it.
class QueriesTest {
  private static final Path FILES = Path.of("grafana");
  private static final Pattern EXPR =
      Pattern.compile("\"(?:expr|query)\": \"((?:[^\"\\\\]|\\\\.)*)\"");

  /// Variables that Grafana itself sets.
  private static final Set<String> OWN = Set.of("__rate_interval", "__range");

  /// Labels of a scrape, a process or a receiver, and not of the metric.
  private static final Pattern FOREIGN =
      Pattern.compile("\\b(?:job|instance|service_name|otel_scope_\\w+|target_info)\\b *[=,)!]");

  @Test
  void readsMetricsWithTheirLabelsOnly() throws IOException {
    List<String> faults = new ArrayList<>();
    for (Path file : files()) {
      for (String expr : expressions(file)) {
        PromqlReader.faults(expr).forEach(fault -> faults.add(file + ": " + fault + ": " + expr));
        if (FOREIGN.matcher(expr).find()) {
          faults.add(file + ": a label that the metric does not set: " + expr);
        }
      }
    }
    assertThat(faults).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "sum(headgate_pool_gpu_usd) | no metric is called headgate_pool_gpu_usd",
        "sum by (headgate_pol) (headgate_pool_gpu_used) | no metric of the expression has the label"
            + " headgate_pol",
        "rate(headgate_gpu_time_seconds_total{queue=\"a\"}[5m]) | headgate_gpu_time_seconds_total"
            + " has no label queue",
        "headgate_job_wait_duration_seconds | no metric is called"
            + " headgate_job_wait_duration_seconds",
        "headgate_pool_gpu_used{le=\"1\"} | headgate_pool_gpu_used has no label le"
      })
  void aWrongNameIsFound(String expr, String fault) {
    assertThat(PromqlReader.faults(expr)).containsExactly(fault);
  }

  @Test
  void everyVariableIsDefined() {
    for (Dashboard dashboard : GrafanaFiles.DASHBOARDS) {
      Set<String> known = new HashSet<>(OWN);
      known.addAll(Set.of("datasource", "tenant", "pool", "policy", "node"));
      for (Panel panel : dashboard.panels().toList()) {
        for (Query query : panel.queries()) {
          assertThat(known)
              .as(dashboard.title() + ": " + panel.title())
              .containsAll(PromqlReader.variables(query.expr()));
        }
      }
    }
  }

  @Test
  void countersAreReadByTheirGrowthOnly() {
    Pattern bare = Pattern.compile("(?:rate|increase|changes|resets)\\($");
    List<String> faults = new ArrayList<>();
    for (Dashboard dashboard : GrafanaFiles.DASHBOARDS) {
      for (Panel panel : dashboard.panels().toList()) {
        for (Query query : panel.queries()) {
          for (MetricDefinition metric : AllMetrics.stream().toList()) {
            if (metric.kind() == MetricDefinition.Kind.COUNTER && panel.kind() != Kind.STAT) {
              Matcher name =
                  Pattern.compile("\\b" + AllMetrics.prometheusName(metric) + "\\b")
                      .matcher(query.expr());
              while (name.find()) {
                if (!bare.matcher(query.expr().substring(0, name.start())).find()) {
                  faults.add(panel.title() + ": " + query.expr());
                }
              }
            }
          }
        }
      }
    }
    assertThat(faults).isEmpty();
  }

  @Test
  void quantilesHaveExemplars() {
    for (Dashboard dashboard : GrafanaFiles.DASHBOARDS) {
      for (Panel panel : dashboard.panels().toList()) {
        for (Query query : panel.queries()) {
          assertThat(query.hasExemplars())
              .as(panel.title() + ": " + query.expr())
              .isEqualTo(query.expr().contains("histogram_quantile"));
        }
      }
    }
  }

  private static List<Path> files() throws IOException {
    List<Path> all = new ArrayList<>();
    try (Stream<Path> dashboards = Files.list(FILES.resolve("dashboards"))) {
      dashboards.sorted().forEach(all::add);
    }
    all.add(FILES.resolve("alerts/headgate.rules.yaml"));
    all.add(FILES.resolve("provisioning/alerting/headgate.yaml"));
    assertThat(all).hasSize(12);
    return all;
  }

  private static List<String> expressions(Path file) throws IOException {
    List<String> found =
        file.toString().endsWith(".json")
            ? EXPR.matcher(Files.readString(file))
                .results()
                .map(match -> match.group(1).replace("\\\"", "\"").replace("\\\\", "\\"))
                .filter(expr -> !expr.equals("prometheus") && !expr.startsWith("label_values({"))
                .map(expr ->
                    expr.replaceFirst("^label_values\\((.*), (\\w+)\\)$", "sum by ($2) ($1)"))
                .toList()
            : Files.readAllLines(file).stream()
                .map(String::strip)
                .filter(line -> line.startsWith("expr: "))
                .map(line -> line.substring("expr: ".length()))
                .map(expr -> expr.startsWith("'") ? expr.substring(1, expr.length() - 1) : expr)
                .toList();
    assertThat(found).as(file.toString()).hasSizeGreaterThan(5);
    return found;
  }
}
