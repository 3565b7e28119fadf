package io.headgate.kit.telemetry;

import io.grpc.ClientInterceptor;
import io.grpc.ServerInterceptor;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.metrics.Meter;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.ContextPropagators;
import io.opentelemetry.instrumentation.grpc.v1_6.GrpcTelemetry;
import io.opentelemetry.instrumentation.runtimetelemetry.RuntimeTelemetry;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.logs.SdkLoggerProvider;
import io.opentelemetry.sdk.logs.SdkLoggerProviderBuilder;
import io.opentelemetry.sdk.metrics.SdkMeterProvider;
import io.opentelemetry.sdk.metrics.SdkMeterProviderBuilder;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.SdkTracerProviderBuilder;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import java.net.URI;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Traces, metrics and logs of one service. It is created first and closed last, so that it covers
/// the whole run. Nothing is global: each class gets its tracer or meter from this object.
///
/// Several services of one process have [a part][#part] each, with a `service.name` of its own. All
/// parts share the receivers, so a process has one scrape port and one connection to each receiver
/// of OTLP.
public final class Telemetry implements AutoCloseable {
  private static final long CLOSE_SECONDS = 5;

  private final OpenTelemetry openTelemetry;
  private final @Nullable OpenTelemetrySdk sdk;
  private final String service;
  private final @Nullable Common common;
  private final @Nullable RuntimeTelemetry runtime;
  private final GrpcTelemetry grpc;
  private final Map<String, Telemetry> parts = new ConcurrentHashMap<>();

  /// Things that the parts of a process have in common.
  private record Common(TelemetryConfig config, String version, Receivers receivers) {}

  private Telemetry(
      OpenTelemetry openTelemetry,
      @Nullable OpenTelemetrySdk sdk,
      String service,
      @Nullable Common common,
      @Nullable RuntimeTelemetry runtime) {
    this.openTelemetry = openTelemetry;
    this.sdk = sdk;
    this.service = service;
    this.common = common;
    this.runtime = runtime;
    this.grpc = GrpcTelemetry.builder(openTelemetry).setEmitMessageEvents(false).build();
  }

  /// Telemetry without receivers, for tests and tools.
  public static Telemetry disabled() {
    return new Telemetry(OpenTelemetry.noop(), null, "", null, null);
  }

  /// Wraps an SDK that a test created.
  public static Telemetry of(OpenTelemetrySdk sdk) {
    return new Telemetry(sdk, sdk, "", null, null);
  }

  /// Starts recording and export under the `service.name` `service`. Metrics of the Java runtime
  /// and log records of the whole process count to it.
  public static Telemetry start(TelemetryConfig config, String service, String version) {
    CallMetrics.followConventions();
    Logging.setLevel(config.logLevel());
    Logging.setFormat(config.logFormat(), service);
    Common common = new Common(config, version, new Receivers(config));
    OpenTelemetrySdk sdk = sdk(common, service);
    common.receivers().observe(sdk.getMeter("io.headgate.kit.telemetry"));
    if (common.receivers().takesLogs()) {
      Logging.sendTo(sdk);
    }
    return new Telemetry(sdk, sdk, service, common, RuntimeTelemetry.create(sdk));
  }

  /// The telemetry of another service in this process, which ends with this one.
  public Telemetry part(String service) {
    if (common == null) {
      return this;
    }
    return parts.computeIfAbsent(
        service,
        _ -> {
          OpenTelemetrySdk own = sdk(common, service);
          return new Telemetry(own, own, service, common, null);
        });
  }

  private static OpenTelemetrySdk sdk(Common common, String service) {
    Resource resource = resource(service, common.version());
    SdkTracerProviderBuilder traces =
        SdkTracerProvider.builder()
            .setResource(resource)
            .setSampler(sampler(common.config().traceRatio()));
    SdkMeterProviderBuilder metrics = SdkMeterProvider.builder().setResource(resource);
    CallMetrics.bound(metrics);
    SdkLoggerProviderBuilder logs = SdkLoggerProvider.builder().setResource(resource);
    common.receivers().connect(traces, metrics, logs);
    return OpenTelemetrySdk.builder()
        .setTracerProvider(traces.build())
        .setMeterProvider(metrics.build())
        .setLoggerProvider(logs.build())
        .setPropagators(ContextPropagators.create(W3CTraceContextPropagator.getInstance()))
        .build();
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
    return common == null
        ? Optional.empty()
        : common
            .receivers()
            .spanExporter()
            .map(to -> new SpanOutput(to, resource(service, common.version()), scope));
  }

  /// The way of log records that are written as a whole; absent: no receiver is configured.
  ///
  /// @param service the `service.name` of the records
  /// @param scope package of the code that writes them
  public Optional<LogOutput> logOutput(String service, String scope) {
    return common == null
        ? Optional.empty()
        : common
            .receivers()
            .logExporter()
            .map(to -> new LogOutput(to, resource(service, common.version()), scope));
  }

  /// Part of the traces that begin here and are recorded; 1 without a receiver.
  public double traceRatio() {
    return common == null || common.receivers().spanExporter().isEmpty()
        ? 1.0
        : common.config().traceRatio();
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

  /// The address that Prometheus scrapes, if enabled. It shows all parts of the process.
  public Optional<URI> scrapeEndpoint() {
    return common == null ? Optional.empty() : common.receivers().scrapeEndpoint();
  }

  /// Exports buffered data of all parts within a bound, and stops.
  @Override
  public void close() {
    if (common != null) {
      Logging.stopSending();
      common.receivers().close();
    }
    parts.values().forEach(Telemetry::end);
    end();
  }

  private void end() {
    if (runtime != null) {
      runtime.close();
    }
    if (sdk != null) {
      sdk.shutdown().join(CLOSE_SECONDS, TimeUnit.SECONDS);
    }
  }
}
