package io.headgate.sdk.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import io.headgate.sdk.gate.TestGate;
import io.headgate.sdk.model.Job;
import io.headgate.sdk.model.JobSpec;
import io.headgate.sdk.model.Submission;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/// The trace of a job begins with the span of its client.
final class SubmitTraceTest {
  private static final JobSpec SPEC = JobSpec.of("batch", List.of("true"));
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final TestGate gate = TestGate.open();
  private final BlockingQueue<String> received = new LinkedBlockingQueue<>();
  private final CountDownLatch mayAnswer = new CountDownLatch(1);
  private HttpServer receiver;
  private volatile boolean isSlow;

  @BeforeEach
  void listen() throws IOException {
    receiver = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    receiver.createContext(
        "/v1/traces",
        exchange -> {
          received.add(
              new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
          if (isSlow) {
            try {
              mayAnswer.await();
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
          }
          exchange.sendResponseHeaders(200, -1);
          exchange.close();
        });
    receiver.start();
  }

  @AfterEach
  void stop() {
    mayAnswer.countDown();
    receiver.stop(0);
    gate.close();
  }

  private Map<String, String> exporting() {
    return Map.of(
        "OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:" + receiver.getAddress().getPort());
  }

  private HeadgateClient client(Map<String, String> variables) {
    return HeadgateClient.connect(gate.config(), variables);
  }

  private String traceparent(String method) {
    return gate.calls.stream()
        .filter(call -> call.method().equals(method))
        .map(TestGate.Call::traceParent)
        .reduce((_, last) -> last)
        .orElseThrow();
  }

  @SuppressWarnings("unchecked")
  private Map<String, Object> span() throws InterruptedException {
    String body = received.poll(PATIENCE.toSeconds(), java.util.concurrent.TimeUnit.SECONDS);
    Object message = new Load(LoadSettings.builder().build()).loadFromString(body);
    Object resource = first(message, "resourceSpans");
    return (Map<String, Object>) first(first(resource, "scopeSpans"), "spans");
  }

  private static Object first(Object of, String list) {
    return ((List<?>) ((Map<?, ?>) of).get(list)).getFirst();
  }

  @Test
  void theSpanOfTheSubmissionIsTheOneThatTheServerContinues() throws Exception {
    try (HeadgateClient client = client(exporting())) {
      Job job = client.jobs("acme").submit(SPEC);

      Map<String, Object> span = span();
      assertThat(span).containsEntry("name", "job.submit").containsEntry("kind", 3);
      assertThat(traceparent("SubmitJob"))
          .isEqualTo("00-%s-%s-01".formatted(span.get("traceId"), span.get("spanId")));
      assertThat(traceparent("ExchangeKey"))
          .as("the exchange of the key belongs to it")
          .startsWith("00-" + span.get("traceId") + "-");
      assertThat(span.get("attributes").toString()).contains(job.id()).contains("acme", "batch");
      assertThat(Long.parseLong((String) span.get("startTimeUnixNano")))
          .isLessThanOrEqualTo(Long.parseLong((String) span.get("endTimeUnixNano")));
    }
  }

  @Test
  void eachSubmissionHasATraceOfItsOwn() throws Exception {
    try (HeadgateClient client = client(exporting())) {
      client.jobs("acme").submit(SPEC);
      Object first = span().get("traceId");
      client.jobs("acme").submit(SPEC);
      assertThat(span().get("traceId")).isNotEqualTo(first);
    }
  }

  @Test
  void oneSpanStandsForSeveralJobsOfACall() throws Exception {
    try (HeadgateClient client = client(exporting())) {
      client.jobs("acme").submitAll(List.of(Submission.of(SPEC), Submission.of(SPEC)));
      assertThat(span().get("attributes").toString()).contains("headgate.jobs");
      assertThat(received).isEmpty();
    }
  }

  @Test
  void aJobThatSubmitsIsLinked() throws Exception {
    String trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    Map<String, String> variables = new java.util.HashMap<>(exporting());
    variables.put("TRACEPARENT", "00-" + trace + "-00f067aa0ba902b7-01");
    try (HeadgateClient client = client(variables)) {
      client.jobs("acme").submit(SPEC);
      Map<String, Object> span = span();
      assertThat(span.get("links").toString()).contains(trace, "00f067aa0ba902b7");
      assertThat(span.get("traceId")).isNotEqualTo(trace);
    }
  }

  @Test
  void aClientWithoutReceiverSaysThatItWritesNoSpan() {
    try (HeadgateClient client = client(Map.of())) {
      client.jobs("acme").submit(SPEC);
      assertThat(traceparent("SubmitJob")).endsWith("-00");
    }
    try (HeadgateClient client =
        client(Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", "no address: at all"))) {
      client.jobs("acme").submit(SPEC);
      assertThat(traceparent("SubmitJob")).endsWith("-00");
    }
  }

  @Test
  void aReceiverThatIsDownOrSlowDelaysNoSubmission() {
    isSlow = true;
    try (HeadgateClient client = client(exporting())) {
      for (int i = 0; i < 100; i++) {
        client.jobs("acme").submit(SPEC);
      }
      await().atMost(PATIENCE).until(() -> !received.isEmpty());
    }
    try (HeadgateClient client =
        client(Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1"))) {
      client.jobs("acme").submit(SPEC);
    }
    assertThat(gate.count("SubmitJob")).isEqualTo(101);
  }
}
