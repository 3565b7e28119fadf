package io.headgate.kit.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.sun.net.httpserver.HttpServer;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.Tracer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/// A receiver of telemetry that is down, hangs or refuses costs its telemetry and nothing else.
class BadReceiverTest {
  private static final int SPANS = 60_000;

  /// All spans together would take 600 MB.
  private static final int SPAN_BYTES = 10_000;

  private static final long MOST_KEPT_BYTES = 80L << 20;

  private final List<AutoCloseable> open = new ArrayList<>();

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable each : open.reversed()) {
      each.close();
    }
  }

  @Test
  void thatIsDown() throws Exception {
    URI nobody;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      nobody = URI.create("http://127.0.0.1:" + socket.getLocalPort());
    }
    worksOn(nobody, "it cannot be reached");
  }

  @Test
  void thatHangs() throws Exception {
    // Connections are accepted by the kernel, and nothing ever reads them.
    ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    open.add(silent);
    worksOn(URI.create("http://127.0.0.1:" + silent.getLocalPort()), "it did not answer in time");
  }

  @Test
  void thatRefuses() throws Exception {
    AtomicInteger refused = new AtomicInteger();
    HttpServer full =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    var threads = Executors.newCachedThreadPool();
    full.setExecutor(threads);
    full.createContext(
        "/",
        exchange -> {
          exchange.getRequestBody().readAllBytes();
          refused.incrementAndGet();
          exchange.sendResponseHeaders(503, -1);
          exchange.close();
        });
    full.start();
    open.add(threads::shutdownNow);
    open.add(() -> full.stop(0));
    worksOn(URI.create("http://127.0.0.1:" + full.getAddress().getPort()), "it refused them");
    Awaitility.await()
        .atMost(Duration.ofMinutes(1))
        .untilAsserted(() -> assertThat(refused).hasPositiveValue());
  }

  /// Records much more than the receiver could get, then stops. Neither waits for the receiver, and
  /// little of it stays in memory.
  private void worksOn(URI receiver, String cause) throws IOException {
    ListAppender<ILoggingEvent> said = new ListAppender<>();
    said.start();
    Logger log = (Logger) LoggerFactory.getLogger(Exports.class);
    log.addAppender(said);
    open.add(() -> log.detachAppender(said));
    TelemetryConfig defaults = TelemetryConfig.DEFAULTS;
    Telemetry telemetry =
        Telemetry.start(
            new TelemetryConfig(
                Optional.of(receiver),
                defaults.metricsHost(),
                Optional.empty(),
                defaults.metricsAccess(),
                Optional.empty(),
                1.0,
                Duration.ofMillis(100),
                defaults.logLevel(),
                TelemetryConfig.LogFormat.TEXT),
            "headgate-test",
            "1.2.3");
    Tracer tracer = telemetry.part("headgate-shelf").tracer("test");
    long before = usedBytes();
    long begun = System.nanoTime();
    for (int i = 0; i < SPANS; i++) {
      Span span = tracer.spanBuilder("a-span").startSpan();
      span.setAttribute("text", "x".repeat(SPAN_BYTES));
      span.end();
      if (i % 100 == 0) {
        LoggerFactory.getLogger("io.headgate.test").debug("a record");
      }
    }
    assertThat(Duration.ofNanos(System.nanoTime() - begun))
        .as("time of %s spans", SPANS)
        .isLessThan(Duration.ofSeconds(20));
    assertThat(usedBytes() - before).as("bytes that wait").isLessThan(MOST_KEPT_BYTES);
    Awaitility.await()
        .atMost(Duration.ofMinutes(1))
        .untilAsserted(() ->
            assertThat(said.list)
                .extracting(BadReceiverTest::sentence)
                .anyMatch(
                    line -> line.startsWith("WARN " + receiver + " takes no traces: " + cause)));
    // Another test may still stop its telemetry.
    assertThat(said.list.stream().filter(event -> sentence(event).contains(receiver.toString())))
        .as("one sentence for each signal")
        .hasSizeLessThanOrEqualTo(3);
    long stopping = System.nanoTime();
    telemetry.close();
    assertThat(Duration.ofNanos(System.nanoTime() - stopping))
        .as("time of the stop")
        .isLessThan(Duration.ofSeconds(20));
  }

  private static String sentence(ILoggingEvent event) {
    return event.getLevel() + " " + event.getFormattedMessage();
  }

  private static long usedBytes() {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }
}
