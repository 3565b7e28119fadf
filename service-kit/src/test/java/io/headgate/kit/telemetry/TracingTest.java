package io.headgate.kit.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Channel;
import io.grpc.ManagedChannel;
import io.grpc.stub.StreamObserver;
import io.headgate.kit.client.Channels;
import io.headgate.kit.client.TokenSource;
import io.headgate.kit.grpc.ApiServer;
import io.headgate.kit.grpc.ApiServerConfig;
import io.headgate.kit.proto.test.v1.GreetRequest;
import io.headgate.kit.proto.test.v1.GreetResponse;
import io.headgate.kit.proto.test.v1.ShelfServiceGrpc;
import io.headgate.kit.testing.TestChannels;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Scope;
import io.opentelemetry.context.propagation.ContextPropagators;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// One trace from the client through one service to the next.
class TracingTest {
  private final InMemorySpanExporter spans = InMemorySpanExporter.create();
  private final Telemetry telemetry =
      Telemetry.of(
          OpenTelemetrySdk.builder()
              .setTracerProvider(
                  SdkTracerProvider.builder()
                      .addSpanProcessor(SimpleSpanProcessor.create(spans))
                      .build())
              .setPropagators(ContextPropagators.create(W3CTraceContextPropagator.getInstance()))
              .build());
  private final List<AutoCloseable> open = new ArrayList<>();

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable each : open.reversed()) {
      each.close();
    }
    telemetry.close();
  }

  @Test
  void goesThroughEveryHop() {
    AtomicReference<Optional<String>> atTheEnd = new AtomicReference<>(Optional.empty());
    ApiServer back =
        serve(
            new ShelfServiceGrpc.ShelfServiceImplBase() {
              @Override
              public void greet(GreetRequest request, StreamObserver<GreetResponse> answer) {
                atTheEnd.set(telemetry.traceParent());
                answer.onNext(GreetResponse.newBuilder().setText("back").build());
                answer.onCompleted();
              }
            });
    Channel toBack = channel(back.uri());
    ApiServer front =
        serve(
            new ShelfServiceGrpc.ShelfServiceImplBase() {
              @Override
              public void greet(GreetRequest request, StreamObserver<GreetResponse> answer) {
                answer.onNext(ShelfServiceGrpc.newBlockingStub(toBack).greet(request));
                answer.onCompleted();
              }
            });
    Span root = telemetry.tracer("test").spanBuilder("root").startSpan();
    try (Scope _ = root.makeCurrent()) {
      ShelfServiceGrpc.newBlockingStub(channel(front.uri()))
          .greet(GreetRequest.getDefaultInstance());
    } finally {
      root.end();
    }
    String trace = root.getSpanContext().getTraceId();
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(() ->
            assertThat(spans.getFinishedSpanItems())
                .extracting(SpanData::getKind)
                .containsExactlyInAnyOrder(
                    SpanKind.INTERNAL,
                    SpanKind.CLIENT,
                    SpanKind.SERVER,
                    SpanKind.CLIENT,
                    SpanKind.SERVER));
    assertThat(spans.getFinishedSpanItems()).extracting(SpanData::getTraceId).containsOnly(trace);
    assertThat(atTheEnd.get())
        .hasValueSatisfying(parent -> assertThat(parent).startsWith("00-" + trace + "-"));
  }

  @Test
  void goesOnFromAClientThatSpeaksJson() throws Exception {
    AtomicReference<Optional<String>> seen = new AtomicReference<>(Optional.empty());
    ApiServer server =
        serve(
            new ShelfServiceGrpc.ShelfServiceImplBase() {
              @Override
              public void greet(GreetRequest request, StreamObserver<GreetResponse> answer) {
                seen.set(telemetry.traceParent());
                answer.onNext(GreetResponse.getDefaultInstance());
                answer.onCompleted();
              }
            });
    String trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    HttpRequest request =
        HttpRequest.newBuilder(server.uri().resolve("/v1/greetings/ada"))
            .header("traceparent", "00-" + trace + "-00f067aa0ba902b7-01")
            .build();
    assertThat(HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).statusCode())
        .isEqualTo(200);
    assertThat(seen.get()).hasValueSatisfying(parent -> assertThat(parent).contains(trace));
  }

  private ApiServer serve(ShelfServiceGrpc.ShelfServiceImplBase service) {
    ApiServer server =
        ApiServer.builder(ApiServerConfig.of("127.0.0.1", 0), telemetry).service(service).build();
    server.start();
    open.add(server);
    return server;
  }

  private Channel channel(URI uri) {
    ManagedChannel channel =
        Channels.open(TestChannels.patient(uri), TokenSource.anonymous(), telemetry);
    open.add(channel::shutdownNow);
    return channel;
  }
}
