package io.headgate.kit.telemetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import com.sun.net.httpserver.HttpServer;
import io.headgate.kit.telemetry.TelemetryConfig.LogLevel;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.context.Scope;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

class TelemetryTest {
  private static final String SECRET = "the words of a log line";

  @Test
  void servesMetricsToPrometheus() throws Exception {
    TelemetryConfig config = config(Optional.empty(), Optional.of(0));
    try (Telemetry telemetry = Telemetry.start(config, "headgate-test", "1.2.3")) {
      telemetry
          .meter("test")
          .counterBuilder("headgate.test.books")
          .setUnit("{book}")
          .build()
          .add(3);
      URI scrape = telemetry.scrapeEndpoint().orElseThrow();
      HttpRequest request = HttpRequest.newBuilder(scrape).build();
      String page = HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).body();
      assertThat(page)
          .contains("headgate_test_books_total{")
          .contains("service_name=\"headgate-test\"");
      assertThat(page).contains("jvm_memory_used_bytes");
    }
  }

  @Test
  void sendsTracesMetricsAndLogsByOtlp() throws Exception {
    Map<String, String> received = new ConcurrentHashMap<>();
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
    try {
      URI endpoint = URI.create("http://127.0.0.1:" + collector.getAddress().getPort());
      TelemetryConfig config = config(Optional.of(endpoint), Optional.empty());
      Telemetry telemetry = Telemetry.start(config, "headgate-test", "1.2.3");
      Span span = telemetry.tracer("test").spanBuilder("a-span").startSpan();
      try (Scope _ = span.makeCurrent()) {
        LoggerFactory.getLogger("io.headgate.test").warn(SECRET);
      }
      span.end();
      telemetry.meter("test").counterBuilder("a.counter").build().add(1);
      telemetry.close();
      assertThat(received.get("/v1/traces")).contains("a-span", "headgate-test", "1.2.3");
      assertThat(received.get("/v1/metrics")).contains("a.counter");
      assertThat(received.get("/v1/logs")).contains(SECRET);
    } finally {
      collector.stop(0);
    }
  }

  @Test
  @Timeout(240)
  void aMissingReceiverKeepsNobodyFromWorkingOrStopping() {
    TelemetryConfig config =
        config(Optional.of(URI.create("http://127.0.0.1:9")), Optional.empty());
    Telemetry telemetry = Telemetry.start(config, "headgate-test", "1.2.3");
    telemetry.tracer("test").spanBuilder("a-span").startSpan().end();
    telemetry.close();
  }

  @Test
  void librariesNeverSpeakAtDebug() {
    Logging.setLevel(LogLevel.DEBUG);
    try {
      LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
      assertThat(context.getLogger("io.headgate.x").getEffectiveLevel()).isEqualTo(Level.DEBUG);
      assertThat(context.getLogger("io.netty.x").getEffectiveLevel()).isEqualTo(Level.WARN);
      assertThat(context.getLogger("org.other").getEffectiveLevel()).isEqualTo(Level.INFO);
    } finally {
      Logging.setLevel(LogLevel.INFO);
    }
  }

  @Test
  void refusesARatioThatIsNone() {
    assertThatThrownBy(() ->
            new TelemetryConfig(
                Optional.empty(),
                "127.0.0.1",
                Optional.empty(),
                1.5,
                Duration.ofSeconds(1),
                LogLevel.INFO))
        .hasMessageContaining("trace-ratio: 0 to 1");
  }

  @Test
  void refusesAPortThatDoesNotExist() {
    assertThatThrownBy(() -> config(Optional.empty(), Optional.of(65_536)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("metrics-port: 0 to 65535, not 65536");
    assertThatThrownBy(() -> config(Optional.empty(), Optional.of(-1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("metrics-port: 0 to 65535, not -1");
  }

  private static TelemetryConfig config(Optional<URI> endpoint, Optional<Integer> port) {
    return new TelemetryConfig(
        endpoint, "127.0.0.1", port, 1.0, Duration.ofSeconds(60), LogLevel.INFO);
  }
}
