package io.headgate.kit.testing;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.telemetry.TelemetryConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Optional;
import org.slf4j.LoggerFactory;

/// Telemetry of a service under test, and what a scrape of it shows.
public final class ScrapedTelemetry implements AutoCloseable {
  /// The libraries between an instrument and its line of a scrape. They warn of instruments that
  /// contradict each other, at each scrape or at the first.
  private static final List<String> EXPORTERS =
      List.of(
          "io.opentelemetry.sdk.metrics", "io.opentelemetry.exporter.prometheus", "io.prometheus");

  private static final List<String> CONNECTIONS = List.of("active", "idle", "waiting", "max");

  private final Telemetry telemetry;
  private final ListAppender<ILoggingEvent> log = new ListAppender<>();

  private ScrapedTelemetry(Telemetry telemetry) {
    this.telemetry = telemetry;
    log.start();
    EXPORTERS.forEach(name -> logger(name).addAppender(log));
  }

  /// With a scrape port on loopback that asks for no token.
  public static ScrapedTelemetry start(String service) {
    TelemetryConfig defaults = TelemetryConfig.DEFAULTS;
    return new ScrapedTelemetry(
        Telemetry.start(
            new TelemetryConfig(
                Optional.empty(),
                "127.0.0.1",
                Optional.of(0),
                TelemetryConfig.MetricsAccess.OPEN,
                Optional.empty(),
                1.0,
                defaults.exportInterval(),
                defaults.logLevel(),
                TelemetryConfig.LogFormat.TEXT),
            service,
            "test"));
  }

  public Telemetry telemetry() {
    return telemetry;
  }

  /// The lines of a scrape. Neither the instruments that were made until now nor this scrape may
  /// have cost the log a warning.
  public List<String> scrape() {
    URI uri = telemetry.scrapeEndpoint().orElseThrow();
    List<String> lines;
    try (HttpClient http = HttpClient.newHttpClient()) {
      lines =
          http.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString())
              .body()
              .lines()
              .filter(line -> !line.startsWith("#"))
              .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
    assertThat(log.list)
        .filteredOn(event -> event.getLevel().isGreaterOrEqual(Level.WARN))
        .extracting(ILoggingEvent::getFormattedMessage)
        .as("warnings of a scrape")
        .isEmpty();
    return lines;
  }

  /// A scrape has the four gauges of the connections to a schema, each once.
  public void showsConnectionsTo(String schema) {
    List<String> lines = scrape();
    for (String gauge : CONNECTIONS) {
      assertThat(lines)
          .filteredOn(line -> line.startsWith("headgate_database_connections_" + gauge + "{"))
          .as("connections that are %s", gauge)
          .singleElement()
          .asString()
          .contains("headgate_schema=\"" + schema + "\"");
    }
  }

  private static Logger logger(String name) {
    return (Logger) LoggerFactory.getLogger(name);
  }

  @Override
  public void close() {
    EXPORTERS.forEach(name -> logger(name).detachAppender(log));
    telemetry.close();
  }
}
