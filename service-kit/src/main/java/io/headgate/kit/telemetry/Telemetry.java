package io.headgate.kit.telemetry;

import io.grpc.ClientInterceptor;
import io.grpc.ServerInterceptor;
import io.headgate.kit.telemetry.TelemetryConfig.MetricsAccess;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.metrics.Meter;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.ContextPropagators;
import io.opentelemetry.exporter.otlp.http.logs.OtlpHttpLogRecordExporter;
import io.opentelemetry.exporter.otlp.http.metrics.OtlpHttpMetricExporter;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.exporter.prometheus.PrometheusHttpServer;
import io.opentelemetry.exporter.prometheus.PrometheusHttpServerBuilder;
import io.opentelemetry.instrumentation.grpc.v1_6.GrpcTelemetry;
import io.opentelemetry.instrumentation.runtimetelemetry.RuntimeTelemetry;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.logs.SdkLoggerProvider;
import io.opentelemetry.sdk.logs.export.BatchLogRecordProcessor;
import io.opentelemetry.sdk.metrics.SdkMeterProvider;
import io.opentelemetry.sdk.metrics.SdkMeterProviderBuilder;
import io.opentelemetry.sdk.metrics.export.PeriodicMetricReader;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.SdkTracerProviderBuilder;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import java.net.URI;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Traces, metrics and logs of one process. It is created first and closed last, so that it covers
/// the whole run. Nothing is global: each part gets its tracer or meter from this object.
public final class Telemetry implements AutoCloseable {
  private static final long CLOSE_SECONDS = 5;

  private final OpenTelemetry openTelemetry;
  private final @Nullable OpenTelemetrySdk sdk;
  private final @Nullable RuntimeTelemetry runtime;
  private final GrpcTelemetry grpc;
  private final Optional<URI> scrapeEndpoint;
  private final Optional<Receiver> traces;

  /// The receiver of spans, and the service that they are of.
  private record Receiver(SpanExporter exporter, Resource resource, double ratio) {}

  private Telemetry(
      OpenTelemetry openTelemetry,
      @Nullable OpenTelemetrySdk sdk,
      Optional<URI> scrapeEndpoint,
      Optional<Receiver> traces) {
    this.openTelemetry = openTelemetry;
    this.sdk = sdk;
    this.runtime = sdk == null ? null : RuntimeTelemetry.create(sdk);
    this.grpc = GrpcTelemetry.builder(openTelemetry).setEmitMessageEvents(false).build();
    this.scrapeEndpoint = scrapeEndpoint;
    this.traces = traces;
  }

  /// Telemetry without receivers, for tests and tools.
  public static Telemetry disabled() {
    return new Telemetry(OpenTelemetry.noop(), null, Optional.empty(), Optional.empty());
  }

  /// Wraps an SDK that a test created.
  public static Telemetry of(OpenTelemetrySdk sdk) {
    return new Telemetry(sdk, sdk, Optional.empty(), Optional.empty());
  }

  /// Starts recording and export under the `service.name` `service`.
  public static Telemetry start(TelemetryConfig config, String service, String version) {
    Logging.setLevel(config.logLevel());
    Resource resource = resource(service, version);
    SdkTracerProviderBuilder traces =
        SdkTracerProvider.builder().setResource(resource).setSampler(sampler(config.traceRatio()));
    SdkMeterProviderBuilder metrics = SdkMeterProvider.builder().setResource(resource);
    var logs = SdkLoggerProvider.builder().setResource(resource);
    Optional<SpanExporter> exporter =
        config
            .otlpEndpoint()
            .map(base -> OtlpHttpSpanExporter.builder().setEndpoint(path(base, "traces")).build());
    exporter.ifPresent(each -> traces.addSpanProcessor(BatchSpanProcessor.builder(each).build()));
    config
        .otlpEndpoint()
        .ifPresent(base -> {
          metrics.registerMetricReader(
              PeriodicMetricReader.builder(
                      OtlpHttpMetricExporter.builder().setEndpoint(path(base, "metrics")).build())
                  .setInterval(config.exportInterval())
                  .build());
          logs.addLogRecordProcessor(
              BatchLogRecordProcessor.builder(
                      OtlpHttpLogRecordExporter.builder().setEndpoint(path(base, "logs")).build())
                  .build());
        });
    Optional<URI> scrape =
        config
            .metricsPort()
            .map(port -> {
              int chosen = port == 0 ? ScrapePort.free(config.metricsHost()) : port;
              PrometheusHttpServerBuilder server =
                  PrometheusHttpServer.builder().setHost(config.metricsHost()).setPort(chosen);
              if (config.metricsAccess() == MetricsAccess.TOKEN) {
                server.setAuthenticator(ScrapeToken.of(config.metricsTokenFile().orElseThrow()));
              }
              metrics.registerMetricReader(server.build());
              return URI.create("http://" + config.metricsHost() + ":" + chosen + "/metrics");
            });
    OpenTelemetrySdk sdk =
        OpenTelemetrySdk.builder()
            .setTracerProvider(traces.build())
            .setMeterProvider(metrics.build())
            .setLoggerProvider(logs.build())
            .setPropagators(ContextPropagators.create(W3CTraceContextPropagator.getInstance()))
            .build();
    if (config.otlpEndpoint().isPresent()) {
      Logging.sendTo(sdk);
    }
    return new Telemetry(
        sdk, sdk, scrape, exporter.map(each -> new Receiver(each, resource, config.traceRatio())));
  }

  private static Sampler sampler(double ratio) {
    Sampler own = Sampler.traceIdRatioBased(ratio);
    return Sampler.parentBasedBuilder(own).setRemoteParentNotSampled(new AsRoot(own)).build();
  }

  private static Resource resource(String service, String version) {
    return Resource.getDefault()
        .merge(
            Resource.create(
                Attributes.of(
                    AttributeKey.stringKey("service.name"),
                    service,
                    AttributeKey.stringKey("service.namespace"),
                    "headgate",
                    AttributeKey.stringKey("service.version"),
                    version,
                    AttributeKey.stringKey("service.instance.id"),
                    service + "-" + ProcessHandle.current().pid())));
  }

  /// A tracer for one part of the process.
  ///
  /// @param scope package of the code that begins spans
  public Tracer tracer(String scope) {
    return openTelemetry.getTracer(scope);
  }

  /// The way of spans that are written as a whole, with times and ids of their own; absent: no
  /// receiver is configured.
  ///
  /// @param scope package of the code that writes them
  public Optional<SpanOutput> spans(String scope) {
    return traces.map(to -> new SpanOutput(to.exporter(), to.resource(), scope));
  }

  /// Part of the traces that begin here and are recorded; 1 without a receiver.
  public double traceRatio() {
    return traces.map(Receiver::ratio).orElse(1.0);
  }

  /// A meter for one part of the process.
  ///
  /// @param scope package of the code that measures
  public Meter meter(String scope) {
    return openTelemetry.getMeter(scope);
  }

  /// Continues the caller's trace in a server.
  public ServerInterceptor serverInterceptor() {
    return grpc.createServerInterceptor();
  }

  /// Passes the current trace to the called server.
  public ClientInterceptor clientInterceptor() {
    return grpc.createClientInterceptor();
  }

  /// The current trace as a W3C `traceparent`, for places without gRPC: a database row, a job's
  /// environment.
  public Optional<String> traceParent() {
    Map<String, String> carrier = new HashMap<>();
    W3CTraceContextPropagator.getInstance()
        .inject(
            Context.current(),
            carrier,
            (map, key, value) -> {
              if (map != null) {
                map.put(key, value);
              }
            });
    return Optional.ofNullable(carrier.get("traceparent"));
  }

  /// The address that Prometheus scrapes, if enabled.
  public Optional<URI> scrapeEndpoint() {
    return scrapeEndpoint;
  }

  /// Exports buffered data within a bound, and stops.
  @Override
  public void close() {
    if (runtime != null) {
      runtime.close();
    }
    if (sdk != null) {
      Logging.stopSending();
      sdk.shutdown().join(CLOSE_SECONDS, TimeUnit.SECONDS);
    }
  }

  private static String path(URI base, String signal) {
    String root = base.toString();
    return (root.endsWith("/") ? root : root + "/") + "v1/" + signal;
  }
}
