package io.headgate.deploy.grafana;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.deploy.metrics.AllMetrics;
import io.headgate.kit.telemetry.MetricDefinition;
import io.headgate.kit.telemetry.MetricDefinition.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/// The files of deploy/observe fit together. No container runs here: images come from a registry.
class ComposeTest {
  private static final Path FILES = Path.of("observe");

  private final Map<?, ?> services = map(read("compose.yaml"), "services");

  private static Map<?, ?> read(String name) {
    try {
      Object document =
          new Load(LoadSettings.builder().build())
              .loadFromString(Files.readString(FILES.resolve(name)));
      return (Map<?, ?>) document;
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private static Map<?, ?> map(Map<?, ?> of, String key) {
    assertThat(of.get(key)).as(key).isInstanceOf(Map.class);
    return (Map<?, ?>) of.get(key);
  }

  private static List<String> list(Map<?, ?> of, String key) {
    Object value = of.get(key);
    return value == null ? List.of() : ((List<?>) value).stream().map(String::valueOf).toList();
  }

  private Stream<Map<?, ?>> each() {
    return services.keySet().stream().map(name -> map(services, String.valueOf(name)));
  }

  @Test
  void everyImageHasItsVersion() {
    assertThat(services.keySet())
        .isEqualTo(Set.of("collector", "prometheus", "tempo", "loki", "grafana"));
    each()
        .forEach(service ->
            assertThat(String.valueOf(service.get("image")))
                .matches("[a-z-]+/[a-z-]+:v?\\d+\\.\\d+\\.\\d+"));
  }

  @Test
  void everyPortIsOnLoopback() {
    assertThat(each().flatMap(service -> list(service, "ports").stream()))
        .isNotEmpty()
        .allMatch(port -> port.startsWith("127.0.0.1:"));
  }

  @Test
  void thePasswordIsAsked() {
    assertThat(String.valueOf(map(map(services, "grafana"), "environment")))
        .contains("GF_SECURITY_ADMIN_PASSWORD=${GRAFANA_PASSWORD:?");
  }

  @Test
  void everyMountedFileIsThere() {
    Set<String> volumes = new HashSet<>();
    map(read("compose.yaml"), "volumes")
        .keySet()
        .forEach(name -> volumes.add(String.valueOf(name)));
    for (Map<?, ?> service : each().toList()) {
      for (String volume : list(service, "volumes")) {
        String source = volume.split(":", 2)[0];
        assertThat(
                source.startsWith(".")
                    ? Files.exists(FILES.resolve(source))
                    : volumes.contains(source))
            .as(volume)
            .isTrue();
      }
    }
  }

  @Test
  void everyPartOfAPipelineIsDefined() {
    Map<?, ?> collector = read("collector.yaml");
    Map<?, ?> pipelines = map(map(collector, "service"), "pipelines");
    assertThat(pipelines.keySet()).isEqualTo(Set.of("traces", "metrics", "logs"));
    for (Object name : pipelines.keySet()) {
      Map<?, ?> pipeline = map(pipelines, String.valueOf(name));
      for (String kind : List.of("receivers", "processors", "exporters")) {
        assertThat(map(collector, kind).keySet().stream().map(String::valueOf))
            .as("%s of %s", kind, name)
            .containsAll(list(pipeline, kind));
      }
    }
  }

  @Test
  void addressesNameServices() throws IOException {
    for (String file : List.of("collector.yaml", "datasources.yaml")) {
      Set<String> hosts =
          Pattern.compile("(?:endpoint|url): (?:http://)?([a-z]+):\\d+")
              .matcher(Files.readString(FILES.resolve(file)))
              .results()
              .map(found -> found.group(1))
              .collect(Collectors.toSet());
      assertThat(hosts).as(file).isEqualTo(Set.of("prometheus", "tempo", "loki"));
    }
  }

  @Test
  void theSourcesHaveTheIdsThatAlertsAndLinksName() {
    assertThat(String.valueOf(read("datasources.yaml")))
        .contains("uid=" + Provisioning.METRICS + ",", "uid=" + Provisioning.TRACES + ",")
        .contains("name=trace_id, datasourceUid=" + Provisioning.TRACES);
    assertThat(list(map(services, "grafana"), "volumes"))
        .anyMatch(volume -> volume.endsWith(":" + GrafanaFiles.DASHBOARDS_IN_GRAFANA + ":ro"));
  }

  /// A bucket that the Collector does not make is one that a panel or an alert reads in vain.
  @Test
  void theCollectorMakesTheBucketsOfAScrape() throws IOException {
    List<Set<Double>> bounds =
        Pattern.compile("\"midpoint\",\\s*\\[([^]]*)]")
            .matcher(Files.readString(FILES.resolve("collector.yaml")))
            .results()
            .map(ComposeTest::numbers)
            .toList();
    assertThat(bounds).hasSize(2);
    AllMetrics.stream()
        .filter(metric -> metric.kind() == Kind.HISTOGRAM)
        .filter(metric -> !metric.name().startsWith("rpc."))
        .filter(metric -> !metric.name().startsWith("jvm."))
        .forEach(metric ->
            assertThat(bounds.get(unit(metric))).as(metric.name()).containsAll(metric.buckets()));
  }

  private static int unit(MetricDefinition metric) {
    return metric.unit().equals("s") ? 0 : 1;
  }

  private static Set<Double> numbers(MatchResult list) {
    return Stream.of(list.group(1).split(","))
        .map(String::strip)
        .map(Double::valueOf)
        .collect(Collectors.toSet());
  }

  @Test
  void prometheusAcceptsItsSettings(@TempDir Path directory) throws Exception {
    Promtool.succeeds(
        directory,
        "check",
        "config",
        "--syntax-only",
        FILES.resolve("prometheus.yaml").toAbsolutePath().toString());
  }
}
