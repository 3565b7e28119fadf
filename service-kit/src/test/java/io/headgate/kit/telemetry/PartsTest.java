package io.headgate.kit.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.headgate.kit.testing.ScrapedTelemetry;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
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
      MetricDefinition.histogram("headgate.test.reading", "s", "time of reading", List.of(1.0, 9.0));

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
      // 0x52: field 10 of a metric, an exponential histogram; 0x4a: field 9, one with fixed buckets.
      assertThat(received.get("/v1/metrics"))
          .contains("headgate-test", "headgate-shelf")
          .containsPattern("(?s)headgate\\.test\\.reading.{1,60}\u0052");
      assertThat(received.get("/v1/traces")).contains("headgate-shelf", "a-span");
    } finally {
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
    TelemetryConfig defaults = TelemetryConfig.DEFAULTS;
    return new TelemetryConfig(
        Optional.of(URI.create("http://127.0.0.1:" + collector.getAddress().getPort())),
        defaults.metricsHost(),
        Optional.empty(),
        defaults.metricsAccess(),
        Optional.empty(),
        1.0,
        defaults.exportInterval(),
        defaults.logLevel());
  }
}
