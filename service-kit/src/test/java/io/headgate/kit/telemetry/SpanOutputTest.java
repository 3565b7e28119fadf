package io.headgate.kit.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.kit.telemetry.FinishedSpan.Link;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// A finished span arrives at any exporter with the times and ids that it was given.
final class SpanOutputTest {
  private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
  private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00.123456Z");
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private static FinishedSpan span(String id, Optional<String> parent) {
    return new FinishedSpan(
        "job.run",
        FinishedSpan.Kind.INTERNAL,
        TRACE,
        id,
        parent,
        BEGIN,
        BEGIN.plusSeconds(86_400),
        Map.of("headgate.job", "train-1", "headgate.attempt", 2L),
        List.of(new Link("0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331", "victim")),
        Optional.of("FAILED"));
  }

  @Test
  void keepsIdsTimesLinksAndAttributes() {
    InMemorySpanExporter exporter = InMemorySpanExporter.create();
    SpanOutput output = SpanOutput.to(exporter, "headgate-scheduler", "test");
    assertThat(
            output.send(
                List.of(
                    span("00f067aa0ba902b7", Optional.empty()),
                    span("00f067aa0ba902b8", Optional.of("00f067aa0ba902b7"))),
                PATIENCE))
        .isTrue();

    List<SpanData> seen = exporter.getFinishedSpanItems();
    assertThat(seen).extracting(SpanData::getTraceId).containsOnly(TRACE);
    assertThat(seen)
        .extracting(SpanData::getSpanId)
        .containsExactly("00f067aa0ba902b7", "00f067aa0ba902b8");
    assertThat(seen)
        .extracting(SpanData::getParentSpanId)
        .containsExactly("0000000000000000", "00f067aa0ba902b7");
    SpanData last = seen.getLast();
    assertThat(last.getKind()).isEqualTo(SpanKind.INTERNAL);
    assertThat(last.getStartEpochNanos()).isEqualTo(1_767_225_600_123_456_000L);
    assertThat(last.getEndEpochNanos() - last.getStartEpochNanos()).isEqualTo(86_400_000_000_000L);
    assertThat(last.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
    assertThat(last.getAttributes().get(AttributeKey.longKey("headgate.attempt"))).isEqualTo(2);
    assertThat(last.getAttributes().get(AttributeKey.stringKey("headgate.job")))
        .isEqualTo("train-1");
    assertThat(last.getLinks())
        .singleElement()
        .satisfies(
            link -> assertThat(link.getSpanContext().getSpanId()).isEqualTo("b7ad6b7169203331"));
    assertThat(last.getResource().getAttribute(AttributeKey.stringKey("service.name")))
        .isEqualTo("headgate-scheduler");
  }

  @Test
  void saysThatAReceiverRefusedOrDidNotAnswer() {
    List<FinishedSpan> spans = List.of(span("00f067aa0ba902b7", Optional.empty()));
    assertThat(
            SpanOutput.to(answering(CompletableResultCode.ofFailure()), "s", "t")
                .send(spans, PATIENCE))
        .isFalse();
    assertThat(
            SpanOutput.to(answering(new CompletableResultCode()), "s", "t")
                .send(spans, Duration.ofMillis(1)))
        .isFalse();
  }

  private static SpanExporter answering(CompletableResultCode answer) {
    return new SpanExporter() {
      @Override
      public CompletableResultCode export(Collection<SpanData> spans) {
        return answer;
      }

      @Override
      public CompletableResultCode flush() {
        return CompletableResultCode.ofSuccess();
      }

      @Override
      public CompletableResultCode shutdown() {
        return CompletableResultCode.ofSuccess();
      }
    };
  }
}
