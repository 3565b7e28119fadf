package io.headgate.deploy.observe;

import io.headgate.kit.testing.Needed;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/// Starts programs that receive metrics. A test is skipped where its program is absent.
public final class Programs {
  private Programs() {}

  /// Addresses that Prometheus scrapes.
  ///
  /// @param addresses of all processes, such as `127.0.0.1:7401`
  /// @param token file of the token of each scrape
  public record Scrape(List<URI> addresses, Path token) {
    String yaml(String interval) {
      return """
      global: {scrape_interval: %1$s, evaluation_interval: %1$s}
      scrape_configs:
        - job_name: headgate
          authorization: {credentials_file: %2$s}
          static_configs: [{targets: [%3$s]}]
      """
          .formatted(
              interval,
              token,
              addresses.stream()
                  .map(address -> '"' + address.getAuthority() + '"')
                  .collect(Collectors.joining(", ")));
    }
  }

  /// VictoriaMetrics, which takes metrics by OTLP below the path `/opentelemetry`.
  public static MetricStore victoriaMetrics(Path directory) throws IOException {
    Optional<Path> program = Daemon.find("victoria-metrics", "headgate.victoria-metrics");
    Needed.VICTORIA_METRICS.demand(program.isPresent());
    int port = Daemon.freePort();
    return MetricStore.of(
        Daemon.start(
            List.of(
                program.orElseThrow().toString(),
                "-httpListenAddr=127.0.0.1:" + port,
                "-storageDataPath=" + directory.resolve("victoria-metrics"),
                "-opentelemetry.usePrometheusNaming=true",
                "-relabelConfig=observe/victoria-metrics.relabel.yaml",
                // A push says nothing of series that end, such as those of a killed leader.
                "-search.maxStalenessInterval=10s",
                "-search.latencyOffset=0s",
                "-search.disableCache"),
            directory.resolve("victoria-metrics.log"),
            port,
            "/health"));
  }

  /// The page of a Zipkin, which takes spans at `/api/v2/spans`. The property `headgate.zipkin`
  /// names the file of `io.zipkin:zipkin-server:jar:exec`.
  public static Zipkin zipkin(Path directory) throws IOException {
    Path jar = Path.of(System.getProperty("headgate.zipkin", "zipkin-server-exec.jar"));
    Needed.ZIPKIN.demand(Files.exists(jar));
    int port = Daemon.freePort();
    return new Zipkin(
        Daemon.start(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-jar",
                jar.toString(),
                "--server.port=" + port,
                "--armeria.ports[0].port=" + port,
                "--armeria.ports[0].ip=127.0.0.1",
                "--armeria.ports[0].protocols[0]=http"),
            directory.resolve("zipkin.log"),
            port,
            "/health"));
  }

  /// Debian's package `prometheus`, with the storage of exemplars.
  ///
  /// @param interval of scrapes: `1s`
  public static MetricStore prometheus(Path directory, Scrape scrape, String interval)
      throws IOException {
    Optional<Path> program = Daemon.find("prometheus", "headgate.prometheus");
    Needed.PROMETHEUS.demand(
        program.isPresent() && Daemon.find("promtool", "headgate.promtool").isPresent());
    Path config = directory.resolve("prometheus.yml");
    Files.writeString(config, scrape.yaml(interval));
    int port = Daemon.freePort();
    return MetricStore.of(
        Daemon.start(
            List.of(
                program.orElseThrow().toString(),
                "--config.file=" + config,
                "--storage.tsdb.path=" + directory.resolve("prometheus"),
                "--web.listen-address=127.0.0.1:" + port,
                "--enable-feature=exemplar-storage",
                "--log.level=warn"),
            directory.resolve("prometheus.log"),
            port,
            "/-/ready"));
  }
}
