package io.headgate.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.headgate.kit.config.Secret;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.time.TimeSource;
import io.headgate.proto.agent.v1.AttemptReport.State;
import io.headgate.proto.agent.v1.Stop;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.metrics.SdkMeterProvider;
import io.opentelemetry.sdk.metrics.data.MetricData;
import io.opentelemetry.sdk.testing.exporter.InMemoryMetricReader;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The trace of a submission goes on through the agent into the job, and the agent's numbers exist.
class AgentTelemetryTest {
  private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
  private static final String SUBMISSION = "b7ad6b7169203331";

  @TempDir Path root;
  private final InMemorySpanExporter spans = InMemorySpanExporter.create();
  private final InMemoryMetricReader metrics = InMemoryMetricReader.create();

  private SpanData span(String name) {
    await()
        .atMost(FakeControlPlane.PATIENCE)
        .until(() -> spans.getFinishedSpanItems().stream().anyMatch(s -> s.getName().equals(name)));
    return spans.getFinishedSpanItems().stream()
        .filter(s -> s.getName().equals(name))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void continuesTheTraceAndCounts() throws Exception {
    OpenTelemetrySdk sdk =
        OpenTelemetrySdk.builder()
            .setTracerProvider(
                SdkTracerProvider.builder()
                    .addSpanProcessor(SimpleSpanProcessor.create(spans))
                    .build())
            .setMeterProvider(SdkMeterProvider.builder().registerMetricReader(metrics).build())
            .build();
    FakeControlPlane plane = new FakeControlPlane();
    NodeAgent agent =
        new NodeAgent(
            AgentConfig.of(root.resolve("n1"), "n1", plane.uri())
                .withJoinToken(Secret.of(FakeControlPlane.JOIN_TOKEN))
                .withSimulatedGpus("1xH100"),
            Telemetry.of(sdk),
            TimeSource.system());
    agent.start();
    try {
      await().atMost(FakeControlPlane.PATIENCE).until(agent::isReady);
      plane.send(
          Orders.message(
              Orders.assign(
                      plane.leadership, "traced", "echo $TRACEPARENT $BAGGAGE; exec sleep 1000")
                  .addSlices(Orders.slice(plane.registrations.getLast(), 0, "1/2"))
                  .setTraceparent("00-" + TRACE + "-" + SUBMISSION + "-01")));
      plane.awaitState("traced", State.STATE_RUNNING);
      SpanData start = span("agent.start");
      Path output = root.resolve("n1/attempts/acme.traced.1.0/logs/stdout.0");
      await()
          .atMost(FakeControlPlane.PATIENCE)
          .until(() -> Files.exists(output) && Files.readString(output).endsWith("\n"));

      assertThat(start.getTraceId()).isEqualTo(TRACE);
      assertThat(start.getParentSpanId()).isEqualTo(SUBMISSION);
      assertThat(Files.readString(output))
          .as("the program continues the span of its attempt")
          .isEqualTo(
              "00-%s-%s-01 headgate.job=traced,headgate.attempt=1\n".formatted(TRACE, SUBMISSION));
      assertThat(span("agent.slices").getParentSpanId()).isEqualTo(start.getSpanId());
      assertThat(names())
          .contains(
              "headgate.slice.count",
              "headgate.agent.attempts",
              "headgate.job.cpu.time",
              "headgate.job.memory.usage");

      plane.send(Orders.stop(plane.leadership, "traced", Stop.Kind.KIND_PREEMPT));
      plane.awaitEnd("traced");
      assertThat(span("agent.stop").getTraceId()).isEqualTo(TRACE);
      assertThat(names())
          .contains(
              "headgate.agent.session.open",
              "headgate.agent.start.duration",
              "headgate.agent.stop.duration",
              "headgate.agent.updates.pending",
              "headgate.slice.realise.duration",
              "headgate.slice.release.duration");
    } finally {
      agent.stopJobsAndClose(FakeControlPlane.PATIENCE);
      plane.close();
      sdk.close();
    }
  }

  private List<String> names() {
    return metrics.collectAllMetrics().stream().map(MetricData::getName).toList();
  }
}
