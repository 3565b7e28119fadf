package io.headgate.kit.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import com.google.protobuf.util.JsonFormat;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/// The log as JSON.
class JsonLogTest {
  private static final Logger LOGGER =
      (Logger) LoggerFactory.getLogger("io.headgate.kit.ReplicaWatch");

  private static Map<String, String> fields(Level level, String text, Object... values)
      throws Exception {
    Throwable thrown = new IllegalStateException("of\nuse");
    LoggingEvent event =
        new LoggingEvent(
            JsonLogTest.class.getName(),
            LOGGER,
            level,
            text,
            level == Level.ERROR ? thrown : null,
            values);
    JsonLog lines = new JsonLog("headgate-test");
    lines.setContext((LoggerContext) LoggerFactory.getILoggerFactory());
    lines.start();
    String line = new String(lines.encode(event), StandardCharsets.UTF_8);
    assertThat(line).endsWith("}\n");
    assertThat(line.strip().lines()).as("one line").hasSize(1);
    Struct.Builder parsed = Struct.newBuilder();
    JsonFormat.parser().merge(line, parsed);
    return parsed.getFieldsMap().entrySet().stream()
        .collect(Collectors.toMap(Map.Entry::getKey, entry -> text(entry.getValue())));
  }

  private static String text(Value value) {
    assertThat(value.getKindCase()).isEqualTo(Value.KindCase.STRING_VALUE);
    return value.getStringValue();
  }

  @Test
  void namesTheEventByTheStatementAndNotByItsValues() throws Exception {
    Map<String, String> first = fields(Level.INFO, "{} leads, epoch {}: {}", "s-1", 4, "idle");
    assertThat(first)
        .containsEntry("event", "replica_watch.leads_epoch")
        .containsEntry("message", "s-1 leads, epoch 4: idle")
        .containsEntry("level", "info")
        .containsEntry("service", "headgate-test")
        .containsKeys("time", "logger", "thread")
        .doesNotContainKeys("trace_id", "request", "error");
    assertThat(fields(Level.INFO, "{} leads, epoch {}: {}", "s-2", 5, "busy").get("event"))
        .isEqualTo(first.get("event"));
  }

  @Test
  void hasTheTraceAndTheRequestOfTheCall() throws Exception {
    try (var sdk =
        OpenTelemetrySdk.builder().setTracerProvider(SdkTracerProvider.builder().build()).build()) {
      Span span = sdk.getTracer("test").spanBuilder("span").startSpan();
      try (Scope _ = span.makeCurrent();
          var _ = MDC.putCloseable("request", "abc")) {
        assertThat(fields(Level.WARN, "slow"))
            .containsEntry("trace_id", span.getSpanContext().getTraceId())
            .containsEntry("span_id", span.getSpanContext().getSpanId())
            .containsEntry("request", "abc");
      }
    }
  }

  /// Text from outside stays inside its field.
  @Test
  void whatComesFromOutsideForgesNeitherALineNorAField() throws Exception {
    assertThat(fields(Level.INFO, "job {} failed", "a\",\"level\":\"x\r\n\u001b[2J\u2028\\é"))
        .containsEntry("message", "job a\",\"level\":\"x\r\n\u001b[2J\u2028\\é failed")
        .containsEntry("level", "info");
    assertThat(fields(Level.ERROR, "it broke").get("error"))
        .startsWith("java.lang.IllegalStateException: of\nuse\n\tat ");
  }
}
