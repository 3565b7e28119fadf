package io.headgate.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.headgate.kit.config.Secret;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.time.TimeSource;
import io.headgate.proto.agent.v1.AttemptReport.State;
import io.headgate.proto.agent.v1.Stop;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.trace.ReadWriteSpan;
import io.opentelemetry.sdk.trace.ReadableSpan;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.SpanProcessor;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// An agent whose own thread stands still must not look alive: work would be given to it.
class StandstillTest {
  @TempDir Path root;

  /// Blocks the thread that begins to stop an attempt, which is the agent's own.
  private record Obstacle(CountDownLatch gone) implements SpanProcessor {
    @Override
    public void onStart(Context parent, ReadWriteSpan span) {
      if (span.getName().equals("agent.stop")) {
        try {
          gone.await();
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
      }
    }

    @Override
    public boolean isStartRequired() {
      return true;
    }

    @Override
    public void onEnd(ReadableSpan span) {}

    @Override
    public boolean isEndRequired() {
      return false;
    }
  }

  @Test
  void endsItsSessionUntilItTurnsAgain() {
    Obstacle obstacle = new Obstacle(new CountDownLatch(1));
    OpenTelemetrySdk sdk =
        OpenTelemetrySdk.builder()
            .setTracerProvider(SdkTracerProvider.builder().addSpanProcessor(obstacle).build())
            .build();
    try (FakeControlPlane plane = new FakeControlPlane();
        NodeAgent agent =
            new NodeAgent(
                AgentConfig.of(root.resolve("n1"), "n1", plane.uri())
                    .withJoinToken(Secret.of(FakeControlPlane.JOIN_TOKEN)),
                Telemetry.of(sdk),
                TimeSource.system())) {
      agent.start();
      plane.send(Orders.message(Orders.assign(plane.leadership, "j", "exec sleep 1000")));
      plane.awaitState("j", State.STATE_RUNNING);
      plane.send(Orders.stop(plane.leadership, "j", Stop.Kind.KIND_CANCEL));

      await().atMost(FakeControlPlane.PATIENCE).until(() -> !plane.isConnected());
      assertThat(agent.isReady()).isFalse();
      assertThat(plane.hellos).hasSize(1);
      obstacle.gone().countDown();
      await().atMost(FakeControlPlane.PATIENCE).until(plane::isConnected);
      assertThat(plane.awaitEnd("j").getExitCode()).isEqualTo(128 + 15);
    }
  }
}
