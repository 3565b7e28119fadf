package io.headgate.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.headgate.deploy.InstallationConfig;
import io.headgate.deploy.metrics.AllMetrics;
import io.headgate.kit.telemetry.MetricDefinition;
import io.headgate.kit.telemetry.MetricDefinition.Kind;
import io.headgate.kit.telemetry.TelemetryConfig;
import io.headgate.sdk.client.JobClient;
import io.headgate.sdk.model.JobSpec;
import io.headgate.sdk.model.JobState;
import io.headgate.sdk.model.Submission;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The reference of metrics and a running installation agree: it emits every metric that has no
/// condition, and none that is not there, with these types and attributes.
class MetricsIT {
  private static final Pattern TYPE = Pattern.compile("# TYPE (\\S+) (\\S+)");
  private static final Pattern SERIES = Pattern.compile("([a-zA-Z0-9_:]+)(?:\\{(.*)})? \\S+");
  private static final Pattern LABEL = Pattern.compile("([a-zA-Z0-9_]+)=\"(?:[^\"\\\\]|\\\\.)*\"");

  /// Lines of a scrape of two nodes and two queues. It grows by few lines with each queue and node.
  private static final int MOST_LINES = 1400;

  /// The exporter adds them: the part of the process, and the bound of a bucket.
  private static final Set<String> ADDED = Set.of("service_name", "le");

  /// They count what an installation does as it starts.
  private static final Set<String> COUNTED_AT_ONCE =
      Set.of(
          "headgate_access_changes_total",
          "headgate_pool_catalog_changes_total",
          "headgate_server_strangers_pause_seconds_total");

  /// Simulated GPUs have no driver.
  private static final Set<String> NOT_SIMULATED = Set.of("hw_driver_version");

  /// One metric as a scrape shows it.
  private record Shown(String type, Set<String> labels, Set<String> services) {}

  @Test
  void aRunningInstallationEmitsWhatTheReferenceSays(@TempDir Path directory) throws Exception {
    InstallationConfig config = InstallationConfig.of(directory, 0).withTelemetry(scrapedOpenly());
    try (TestInstallation headgate =
        TestInstallation.start(config)
            .withConfiguration(CONFIGURATION)
            .withNode("a-0", "gpus", "2xA100")
            .withNode("a-1", "gpus", "2xA100")) {
      URI scrape = headgate.installation().metricsUris().get("all parts");
      List<String> fresh = scrape(scrape);
      assertThat(notAtZero(fresh)).as("counters before their first event").isEmpty();
      assertThat(fresh)
          .as("each service counts denials under its own name")
          .contains(
              unknownToken("headgate-pool"),
              unknownToken("headgate-policy"),
              unknownToken("headgate-scheduler"));
      runJobs(headgate);
      await()
          .atMost(TestInstallation.PATIENCE)
          .untilAsserted(() -> assertThat(missing(shown(scrape(scrape)))).isEmpty());
      List<String> lines = scrape(scrape);
      Map<String, Shown> shown = shown(lines);
      assertThat(unknown(shown)).as("shown, and not in the reference").isEmpty();
      assertThat(wrongTypes(shown)).as("of another type than in the reference").isEmpty();
      assertThat(wrongLabels(shown)).as("attributes that differ from the reference").isEmpty();
      assertThat(
              shown.values().stream()
                  .flatMap(each -> each.services().stream())
                  .collect(Collectors.toSet()))
          .as("each part has a name of its own")
          .containsExactlyInAnyOrder(
              "headgate-up",
              "headgate-pool",
              "headgate-policy",
              "headgate-scheduler",
              "headgate-agent");
      assertThat(lines).as("lines of a scrape").hasSizeLessThan(MOST_LINES);
    }
  }

  private static String unknownToken(String service) {
    return "headgate_auth_denied_total{headgate_reason=\"TOKEN_INVALID\",service_name=\"%s\"} 0.0"
        .formatted(service);
  }

  /// Counters that are to exist at 0, and have no such series before a job was submitted. Some
  /// count what happens as an installation starts.
  private static List<String> notAtZero(List<String> lines) {
    return AllMetrics.stream()
        .filter(metric -> !metric.atZero().isEmpty() && metric.condition().isEmpty())
        .map(AllMetrics::prometheusName)
        .filter(name -> !COUNTED_AT_ONCE.contains(name))
        .filter(name ->
            lines.stream()
                .noneMatch(line ->
                    SERIES.matcher(line).replaceFirst("$1").equals(name) && line.endsWith(" 0.0")))
        .toList();
  }

  /// One job ends, one is preempted by an entitled one, and one waits.
  private static void runJobs(TestInstallation headgate) {
    JobClient jobs = headgate.jobs();
    jobs.submit(new Submission(JobSpec.of("lab-2", List.of("true")), "ends", null));
    headgate.await("ends", "final", job -> job.state().isFinal());
    for (String id : List.of("first", "second")) {
      jobs.submit(TestInstallation.endless(id, "lab-2"));
      headgate.awaitState(id, JobState.RUNNING);
    }
    jobs.submit(TestInstallation.endless("waits", "lab-2"));
    headgate.awaitState("waits", JobState.WAITING);
    jobs.submit(TestInstallation.endless("owner", "owners-2"));
    headgate.awaitState("owner", JobState.RUNNING);
    headgate.awaitState("second", JobState.WAITING);
  }

  private static final String CONFIGURATION =
      """
      groups:
        - {name: lab, users: [ada]}
        - {name: owners, users: [alan]}
      pools:
        - {name: gpus, type: static}
      profiles:
        - {name: two, gpus: 2, pools: [gpus]}
      policies:
        - name: lab
          group: lab
          limit: 4
          queues: [{name: lab-2, profile: two}]
        - name: owners
          group: owners
          reservation: 2
          limit: 4
          queues: [{name: owners-2, profile: two}]
      """;

  private static TelemetryConfig scrapedOpenly() {
    TelemetryConfig defaults = TelemetryConfig.DEFAULTS;
    return new TelemetryConfig(
        Optional.empty(),
        defaults.metricsHost(),
        Optional.of(0),
        TelemetryConfig.MetricsAccess.OPEN,
        Optional.empty(),
        1.0,
        defaults.exportInterval(),
        defaults.logLevel(),
        TelemetryConfig.LogFormat.TEXT);
  }

  private static List<String> scrape(URI address) throws Exception {
    try (HttpClient http = HttpClient.newHttpClient()) {
      return http.send(HttpRequest.newBuilder(address).build(), BodyHandlers.ofString())
          .body()
          .lines()
          .toList();
    }
  }

  /// By the name in Prometheus.
  private static Map<String, Shown> shown(List<String> lines) {
    Map<String, Shown> shown = new TreeMap<>();
    for (String line : lines) {
      Matcher type = TYPE.matcher(line);
      if (type.matches()) {
        shown.put(type.group(1), new Shown(type.group(2), new TreeSet<>(), new TreeSet<>()));
      } else if (!line.startsWith("#")) {
        count(shown, line);
      }
    }
    return shown;
  }

  private static void count(Map<String, Shown> shown, String line) {
    Matcher series = SERIES.matcher(line);
    assertThat(series.matches()).as("a series: %s", line).isTrue();
    String name = series.group(1);
    Shown of =
        Optional.ofNullable(shown.get(name))
            .orElseGet(() -> shown.get(name.replaceFirst("_(bucket|sum|count)$", "")));
    assertThat(of).as("the type is before the series: %s", line).isNotNull();
    Matcher label = LABEL.matcher(Optional.ofNullable(series.group(2)).orElse(""));
    while (label.find()) {
      if (!ADDED.contains(label.group(1))) {
        of.labels().add(label.group(1));
      } else if (label.group(1).equals("service_name")) {
        String value = label.group();
        of.services().add(value.substring(value.indexOf('"') + 1, value.length() - 1));
      }
    }
  }

  private static List<String> missing(Map<String, Shown> shown) {
    return AllMetrics.stream()
        .filter(metric -> metric.condition().isEmpty())
        .map(AllMetrics::prometheusName)
        .filter(name -> !shown.containsKey(name))
        .toList();
  }

  private static List<String> unknown(Map<String, Shown> shown) {
    return shown.keySet().stream()
        .filter(name -> AllMetrics.byPrometheusName(name).isEmpty())
        .toList();
  }

  private static List<String> wrongTypes(Map<String, Shown> shown) {
    List<String> wrong = new ArrayList<>();
    shown.forEach((name, of) -> {
      Kind kind = AllMetrics.byPrometheusName(name).orElseThrow().kind();
      String wanted =
          switch (kind) {
            case GAUGE, UP_DOWN_COUNTER -> "gauge";
            case COUNTER -> "counter";
            case HISTOGRAM -> "histogram";
          };
      if (!wanted.equals(of.type())) {
        wrong.add(name + " is a " + of.type());
      }
    });
    return wrong;
  }

  private static List<String> wrongLabels(Map<String, Shown> shown) {
    List<String> wrong = new ArrayList<>();
    shown.forEach((name, of) -> {
      MetricDefinition metric = AllMetrics.byPrometheusName(name).orElseThrow();
      Set<String> defined =
          metric.attributes().stream()
              .map(key -> AllMetrics.label(key.getKey()))
              .collect(Collectors.toSet());
      Set<String> wanted = new TreeSet<>(defined);
      wanted.removeAll(NOT_SIMULATED);
      if (!of.labels().equals(wanted)) {
        wrong.add(name + " has " + of.labels() + ", not " + wanted);
      }
    });
    return wrong;
  }
}
