package io.headgate.kit.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.headgate.kit.testing.ScrapedTelemetry;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.context.Context;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

/// Several services of one process have names of their own and share the receivers.
class PartsTest {
  private static final MetricDefinition BOOKS =
      MetricDefinition.counter("headgate.test.books", "{book}", "books");
  private static final MetricDefinition READING =
      MetricDefinition.histogram(
          "headgate.test.reading", "s", "time of reading", List.of(1.0, 9.0));

  @Test
  void oneScrapeTellsThePartsApart() {
    try (ScrapedTelemetry scraped = ScrapedTelemetry.start("headgate-test")) {
      Telemetry process = scraped.telemetry();
      BOOKS.counter(process.part("headgate-shelf").meter("test")).add(3);
      BOOKS.counter(process.part("headgate-desk").meter("test")).add(4);
      List<String> lines = scraped.scrape();
      assertThat(lines)
          .filteredOn(line -> line.startsWith("headgate_test_books_total"))
          .containsExactlyInAnyOrder(
              "headgate_test_books_total{service_name=\"headgate-shelf\"} 3.0",
              "headgate_test_books_total{service_name=\"headgate-desk\"} 4.0");
      assertThat(lines)
          .filteredOn(line -> line.startsWith("jvm_"))
          .as("the runtime belongs to the process")
          .isNotEmpty()
          .allMatch(line -> line.contains("service_name=\"headgate-test\""));
    }
  }

  @Test
  void aPartIsMadeOnce() {
    try (ScrapedTelemetry scraped = ScrapedTelemetry.start("headgate-test")) {
      Telemetry process = scraped.telemetry();
      assertThat(process.part("headgate-shelf")).isSameAs(process.part("headgate-shelf"));
    }
    Telemetry none = Telemetry.disabled();
    assertThat(none.part("headgate-shelf")).isSameAs(none);
  }

  @Test
  void scrapesHaveFewBucketsAndReceiversOfOtlpExponentialOnes() throws Exception {
    try (ScrapedTelemetry scraped = ScrapedTelemetry.start("headgate-test")) {
      READING.histogram(scraped.telemetry().meter("test")).record(2);
      assertThat(scraped.scrape())
          .filteredOn(line -> line.startsWith("headgate_test_reading_seconds_bucket"))
          .hasSize(3);
    }
    Map<String, String> received = new ConcurrentHashMap<>();
    HttpServer collector = collector(received);
    try {
      Telemetry telemetry = Telemetry.start(to(collector), "headgate-test", "1.2.3");
      READING.histogram(telemetry.part("headgate-shelf").meter("test")).record(2);
      telemetry.part("headgate-shelf").tracer("test").spanBuilder("a-span").startSpan().end();
      telemetry.close();
      // 0x52: field 10 of a metric, an exponential histogram; 0x4a: field 9, one with fixed
      // buckets.
      assertThat(received.get("/v1/metrics"))
          .contains("headgate-test", "headgate-shelf")
          .containsPattern("(?s)headgate\\.test\\.reading.{1,60}\u0052");
      assertThat(received.get("/v1/traces")).contains("headgate-shelf", "a-span");
    } finally {
      collector.stop(0);
    }
  }

  @Test
  void receiversOfOtlpGetTheBucketsOfAScrapeIfTheyAreToldTo() throws Exception {
    Map<String, String> received = new ConcurrentHashMap<>();
    HttpServer collector = collector(received);
    try {
      Telemetry telemetry =
          Telemetry.start(
              to(collector).withOtlpHistograms(TelemetryConfig.OtlpHistograms.BUCKETS),
              "headgate-test",
              "1.2.3");
      READING.histogram(telemetry.meter("test")).record(2);
      telemetry.close();
      // 0x4a: field 9 of a metric, a histogram with fixed buckets.
      assertThat(received.get("/v1/metrics"))
          .containsPattern("(?s)headgate\\.test\\.reading.{1,60}\u004a");
    } finally {
      collector.stop(0);
    }
  }

  /// The trace of a measured value is an exemplar, for scrapers that ask for them.
  @Test
  void exemplarsLeadFromAHistogramToATrace() throws Exception {
    HttpServer collector = collector(new ConcurrentHashMap<>());
    Telemetry telemetry = Telemetry.start(to(collector, Optional.of(0)), "headgate-test", "1.2.3");
    try (HttpClient http = HttpClient.newHttpClient()) {
      Span span = telemetry.tracer("test").spanBuilder("a-span").startSpan();
      READING
          .histogram(telemetry.meter("test"))
          .record(2, Attributes.empty(), Context.root().with(span));
      span.end();
      HttpRequest scrape =
          HttpRequest.newBuilder(telemetry.scrapeEndpoint().orElseThrow())
              .header("accept", "application/openmetrics-text; version=1.0.0")
              .build();
      assertThat(http.send(scrape, BodyHandlers.ofString()).body().lines())
          .filteredOn(line -> line.startsWith("headgate_test_reading_seconds_bucket"))
          .anyMatch(line -> line.contains("trace_id=\"" + span.getSpanContext().getTraceId()));
    } finally {
      telemetry.close();
      collector.stop(0);
    }
  }

  private static HttpServer collector(Map<String, String> received) throws Exception {
    HttpServer collector =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    collector.createContext(
        "/",
        exchange -> {
          byte[] body = exchange.getRequestBody().readAllBytes();
          received.merge(
              exchange.getRequestURI().getPath(),
              new String(body, StandardCharsets.ISO_8859_1),
              String::concat);
          exchange.sendResponseHeaders(200, -1);
          exchange.close();
        });
    collector.start();
    return collector;
  }

  private static TelemetryConfig to(HttpServer collector) {
    return to(collector, Optional.empty());
  }

  private static TelemetryConfig to(HttpServer collector, Optional<Integer> scrapePort) {
    TelemetryConfig defaults = TelemetryConfig.DEFAULTS;
    return new TelemetryConfig(
        Optional.of(URI.create("http://127.0.0.1:" + collector.getAddress().getPort())),
        defaults.metricsHost(),
        scrapePort,
        TelemetryConfig.MetricsAccess.OPEN,
        Optional.empty(),
        1.0,
        defaults.exportInterval(),
        defaults.logLevel(),
        TelemetryConfig.LogFormat.TEXT);
  }
}
