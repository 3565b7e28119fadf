package io.headgate.kit.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.logs.Severity;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.logs.data.LogRecordData;
import io.opentelemetry.sdk.logs.export.LogRecordExporter;
import io.opentelemetry.sdk.testing.exporter.InMemoryLogRecordExporter;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// A log record of another program arrives with its text, its trace and its one event name.
final class LogOutputTest {
  private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
  private static final String SPAN = "00f067aa0ba902b7";
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private static LogEntry entry(String text, String traceparent) {
    return new LogEntry(
        "headgate.job.output",
        Instant.parse("2026-01-01T00:00:00.123456789Z"),
        text,
        traceparent,
        Map.of("headgate.job", "train-1", "headgate.attempt", 2L));
  }

  @Test
  void keepsTextTraceEventAndAttributes() {
    InMemoryLogRecordExporter exporter = InMemoryLogRecordExporter.create();
    LogOutput output = LogOutput.to(exporter, "headgate-jobs", "test");
    assertThat(
            output.send(
                List.of(entry("step 1", "00-" + TRACE + "-" + SPAN + "-01"), entry("step 2", "")),
                PATIENCE))
        .isTrue();

    List<LogRecordData> seen = exporter.getFinishedLogRecordItems();
    assertThat(seen)
        .extracting(each -> each.getBodyValue().asString())
        .containsExactly("step 1", "step 2");
    LogRecordData first = seen.getFirst();
    assertThat(first.getEventName()).isEqualTo("headgate.job.output");
    assertThat(first.getSpanContext().getTraceId()).isEqualTo(TRACE);
    assertThat(first.getSpanContext().getSpanId()).isEqualTo(SPAN);
    assertThat(first.getObservedTimestampEpochNanos()).isEqualTo(1_767_225_600_123_456_789L);
    assertThat(first.getSeverity())
        .as("a program's output has none")
        .isEqualTo(Severity.UNDEFINED_SEVERITY_NUMBER);
    assertThat(first.getAttributes().get(AttributeKey.longKey("headgate.attempt"))).isEqualTo(2);
    assertThat(first.getAttributes().get(AttributeKey.stringKey("headgate.job")))
        .isEqualTo("train-1");
    assertThat(first.getResource().getAttribute(AttributeKey.stringKey("service.name")))
        .isEqualTo("headgate-jobs");
    assertThat(seen.getLast().getSpanContext().isValid()).isFalse();
  }

  @Test
  void saysThatAReceiverRefusedAndSendsNothingTwiceByItself() {
    InMemoryLogRecordExporter taken = InMemoryLogRecordExporter.create();
    boolean[] refuses = {true};
    LogOutput output =
        LogOutput.to(
            new LogRecordExporter() {
              @Override
              public CompletableResultCode export(Collection<LogRecordData> records) {
                return refuses[0] ? CompletableResultCode.ofFailure() : taken.export(records);
              }

              @Override
              public CompletableResultCode flush() {
                return CompletableResultCode.ofSuccess();
              }

              @Override
              public CompletableResultCode shutdown() {
                return CompletableResultCode.ofSuccess();
              }
            },
            "headgate-jobs",
            "test");
    assertThat(output.send(List.of(entry("lost", "")), PATIENCE)).isFalse();
    refuses[0] = false;
    assertThat(output.send(List.of(entry("kept", "")), PATIENCE)).isTrue();
    assertThat(taken.getFinishedLogRecordItems())
        .extracting(each -> each.getBodyValue().asString())
        .containsExactly("kept");
  }
}
