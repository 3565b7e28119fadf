package io.headgate.kit.telemetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import com.sun.net.httpserver.HttpServer;
import io.headgate.kit.telemetry.TelemetryConfig.LogLevel;
import io.headgate.kit.telemetry.TelemetryConfig.MetricsAccess;
import io.headgate.kit.testing.ScrapedTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.context.Scope;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

class TelemetryTest {
  private static final String SECRET = "the words of a log line";

  @Test
  void servesMetricsToPrometheus() {
    try (ScrapedTelemetry scraped = ScrapedTelemetry.start("headgate-test")) {
      scraped
          .telemetry()
          .meter("test")
          .counterBuilder("headgate.test.books")
          .setUnit("{book}")
          .build()
          .add(3);
      assertThat(scraped.scrape())
          .anyMatch(line -> line.startsWith("headgate_test_books_total{"))
          .anyMatch(line -> line.contains("service_name=\"headgate-test\""))
          .anyMatch(line -> line.startsWith("jvm_memory_used_bytes"));
    }
  }

  @Test
  void answersScrapesWithTheTokenOfTheFileAlone(@TempDir Path directory) throws Exception {
    Path file = directory.resolve("secrets").resolve("metrics.token");
    TelemetryConfig config =
        config(Optional.empty(), Optional.of(0), MetricsAccess.TOKEN, Optional.of(file));
    String first;
    try (Telemetry telemetry = Telemetry.start(config, "headgate-test", "1.2.3")) {
      URI scrape = telemetry.scrapeEndpoint().orElseThrow();
      assertThat(scrape.getHost()).isEqualTo("127.0.0.1");
      first = Files.readString(file).strip();
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
          .isEqualTo("rw-------");
      assertThat(status(scrape, "")).isEqualTo(401);
      assertThat(status(scrape, "Bearer " + "0".repeat(64))).isEqualTo(401);
      assertThat(status(scrape.resolve("/"), "")).isEqualTo(401);
      assertThat(status(scrape, "Bearer " + first)).isEqualTo(200);
    }
    try (Telemetry telemetry = Telemetry.start(config, "headgate-test", "1.2.3")) {
      assertThat(status(telemetry.scrapeEndpoint().orElseThrow(), "Bearer " + first))
          .as("a restart keeps the token")
          .isEqualTo(200);
    }
  }

  @Test
  void aScrapePortWithoutATokenMustBeAskedFor(@TempDir Path directory) throws Exception {
    assertThatThrownBy(
            () -> config(Optional.empty(), Optional.of(0), MetricsAccess.TOKEN, Optional.empty()))
        .hasMessageContaining("metrics-token-file")
        .hasMessageContaining("metrics-access: open");
    Path file = Files.writeString(directory.resolve("token"), "shared");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
    TelemetryConfig readable =
        config(Optional.empty(), Optional.of(0), MetricsAccess.TOKEN, Optional.of(file));
    assertThatThrownBy(() -> Telemetry.start(readable, "headgate-test", "1.2.3"))
        .hasMessageContaining("chmod 600");
  }

  private static int status(URI uri, String authorization) throws Exception {
    HttpRequest.Builder request = HttpRequest.newBuilder(uri);
    if (!authorization.isEmpty()) {
      request.header("authorization", authorization);
    }
    return HttpClient.newHttpClient().send(request.build(), BodyHandlers.ofString()).statusCode();
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
      assertThat(received.get("/v1/logs")).contains(SECRET, "test.the_words_of_a_log_line");
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
                MetricsAccess.TOKEN,
                Optional.empty(),
                1.5,
                Duration.ofSeconds(1),
                LogLevel.INFO,
                TelemetryConfig.LogFormat.TEXT))
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
    return config(endpoint, port, MetricsAccess.OPEN, Optional.empty());
  }

  private static TelemetryConfig config(
      Optional<URI> endpoint,
      Optional<Integer> port,
      MetricsAccess access,
      Optional<Path> tokenFile) {
    return new TelemetryConfig(
        endpoint,
        "127.0.0.1",
        port,
        access,
        tokenFile,
        1.0,
        Duration.ofSeconds(60),
        LogLevel.INFO,
        TelemetryConfig.LogFormat.TEXT);
  }
}
