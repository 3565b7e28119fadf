package io.headgate.sdk.wire;

import io.opentelemetry.api.trace.SpanContext;
import java.io.IOException;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/// A receiver of OTLP by HTTP that OpenTelemetry's variables of the environment name. Spans are
/// JSON, which needs no library, so a command starts as fast as without. Each is sent once, by a
/// thread of its own. A receiver that does not answer costs a command one second at its end, and a
/// long-lived program a bounded number of threads.
final class OtlpReceiver implements AutoCloseable {
  private static final int MOST_AT_ONCE = 16;
  private static final Duration PATIENCE = Duration.ofSeconds(1);

  private final URI endpoint;
  private final Map<String, String> headers;
  private final String service;
  private final AtomicInteger pending = new AtomicInteger();
  private final ConcurrentLinkedQueue<Thread> senders = new ConcurrentLinkedQueue<>();

  private OtlpReceiver(URI endpoint, Map<String, String> headers, String service) {
    this.endpoint = endpoint;
    this.headers = headers;
    this.service = service;
  }

  /// A span `job.submit`.
  record SentSpan(
      String traceId,
      String spanId,
      String tenant,
      String queue,
      int jobs,
      Optional<SpanContext> link,
      Instant begin) {
    SentSpan(
        String traceId,
        String spanId,
        String tenant,
        String queue,
        int jobs,
        Optional<SpanContext> link) {
      this(traceId, spanId, tenant, queue, jobs, link, Instant.now());
    }
  }

  /// The receiver that the variables name; empty: none, or one that speaks gRPC only.
  static Optional<OtlpReceiver> of(Map<String, String> variables) {
    String own = variables.getOrDefault("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "");
    String base = variables.getOrDefault("OTEL_EXPORTER_OTLP_ENDPOINT", "");
    String protocol =
        variables.getOrDefault(
            "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL",
            variables.getOrDefault("OTEL_EXPORTER_OTLP_PROTOCOL", ""));
    boolean isOff =
        (own.isEmpty() && base.isEmpty())
            || protocol.equals("grpc")
            || variables.getOrDefault("OTEL_SDK_DISABLED", "").equalsIgnoreCase("true")
            || variables.getOrDefault("OTEL_TRACES_EXPORTER", "").equals("none");
    if (isOff) {
      return Optional.empty();
    }
    try {
      URI endpoint =
          new URI(own.isEmpty() ? base + (base.endsWith("/") ? "" : "/") + "v1/traces" : own);
      if (!"http".equals(endpoint.getScheme()) && !"https".equals(endpoint.getScheme())) {
        return Optional.empty();
      }
      return Optional.of(
          new OtlpReceiver(
              endpoint,
              headers(variables.getOrDefault("OTEL_EXPORTER_OTLP_HEADERS", "")),
              variables.getOrDefault("OTEL_SERVICE_NAME", "headgate-client")));
    } catch (URISyntaxException _) {
      // Telemetry that is wrongly configured stops no submission.
      return Optional.empty();
    }
  }

  private static Map<String, String> headers(String text) {
    Map<String, String> headers = new LinkedHashMap<>();
    for (String each : text.split(",", -1)) {
      int middle = each.indexOf('=');
      if (middle > 0) {
        headers.put(each.substring(0, middle).strip(), each.substring(middle + 1).strip());
      }
    }
    return headers;
  }

  /// Sends the span, which ends now. Returns at once.
  ///
  /// @param job empty: several, or none was taken
  /// @param problem empty: none
  void send(SentSpan span, String job, String problem) {
    if (pending.incrementAndGet() > MOST_AT_ONCE) {
      pending.decrementAndGet();
      return;
    }
    byte[] body = json(span, job, problem, Instant.now()).getBytes(StandardCharsets.UTF_8);
    Thread sender = Thread.ofVirtual().unstarted(() -> post(body));
    senders.removeIf(each -> !each.isAlive() && each.getState() != Thread.State.NEW);
    senders.add(sender);
    sender.start();
  }

  private void post(byte[] body) {
    try {
      HttpURLConnection call = (HttpURLConnection) endpoint.toURL().openConnection();
      int millis = Math.toIntExact(PATIENCE.toMillis());
      call.setConnectTimeout(millis);
      call.setReadTimeout(millis);
      call.setRequestMethod("POST");
      call.setDoOutput(true);
      call.setRequestProperty("content-type", "application/json");
      headers.forEach(call::setRequestProperty);
      try (OutputStream out = call.getOutputStream()) {
        out.write(body);
      }
      call.getResponseCode();
      call.disconnect();
    } catch (IOException | RuntimeException _) {
      // A receiver that is away costs a span, and nothing else.
    } finally {
      pending.decrementAndGet();
    }
  }

  private String json(SentSpan span, String job, String problem, Instant end) {
    StringBuilder attributes = new StringBuilder();
    attribute(attributes, "headgate.tenant", span.tenant());
    attribute(attributes, "headgate.queue", span.queue());
    attribute(attributes, "headgate.job", job);
    if (span.jobs() > 1) {
      attributes.append(",{\"key\":\"headgate.jobs\",\"value\":{\"intValue\":\"");
      attributes.append(span.jobs()).append("\"}}");
    }
    String links =
        span.link()
            .map(link ->
                "{\"traceId\":\"%s\",\"spanId\":\"%s\"}"
                    .formatted(link.getTraceId(), link.getSpanId()))
            .orElse("");
    String status =
        problem.isEmpty() ? "{}" : "{\"code\":2,\"message\":%s}".formatted(quoted(problem));
    return ("{\"resourceSpans\":[{\"resource\":{\"attributes\":[{\"key\":\"service.name\","
            + "\"value\":{\"stringValue\":%s}}]},\"scopeSpans\":[{\"scope\":{\"name\":"
            + "\"io.headgate.sdk\"},\"spans\":[{\"traceId\":\"%s\",\"spanId\":\"%s\",\"name\":"
            + "\"job.submit\",\"kind\":3,\"startTimeUnixNano\":\"%s\",\"endTimeUnixNano\":\"%s\","
            + "\"attributes\":[%s],\"links\":[%s],\"status\":%s}]}]}]}")
        .formatted(
            quoted(service),
            span.traceId(),
            span.spanId(),
            nanos(span.begin()),
            nanos(end),
            attributes,
            links,
            status);
  }

  private static void attribute(StringBuilder to, String name, String value) {
    if (!value.isEmpty()) {
      to.append(to.isEmpty() ? "" : ",");
      to.append("{\"key\":\"").append(name).append("\",\"value\":{\"stringValue\":");
      to.append(quoted(value)).append("}}");
    }
  }

  private static String quoted(String text) {
    StringBuilder quoted = new StringBuilder("\"");
    for (int i = 0; i < text.length(); i++) {
      char each = text.charAt(i);
      if (each == '"' || each == '\\') {
        quoted.append('\\').append(each);
      } else if (each < ' ') {
        quoted.append(' ');
      } else {
        quoted.append(each);
      }
    }
    return quoted.append('"').toString();
  }

  private static String nanos(Instant time) {
    return "%d%09d".formatted(time.getEpochSecond(), time.getNano());
  }

  /// Waits for spans on their way, at most as long as one may take.
  @Override
  public void close() {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    try {
      for (Thread each : senders) {
        Duration left = Duration.ofNanos(deadline - System.nanoTime());
        if (!left.isPositive()) {
          return;
        }
        each.join(left);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
