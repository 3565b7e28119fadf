package io.headgate.kit.telemetry;

import io.headgate.kit.telemetry.TelemetryConfig.MetricsAccess;
import io.headgate.kit.telemetry.TelemetryConfig.OtlpHistograms;
import io.opentelemetry.api.metrics.Meter;
import io.opentelemetry.context.Context;
import io.opentelemetry.exporter.otlp.http.logs.OtlpHttpLogRecordExporter;
import io.opentelemetry.exporter.otlp.http.metrics.OtlpHttpMetricExporter;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.exporter.prometheus.PrometheusHttpServer;
import io.opentelemetry.exporter.prometheus.PrometheusHttpServerBuilder;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.common.export.MemoryMode;
import io.opentelemetry.sdk.logs.LogRecordProcessor;
import io.opentelemetry.sdk.logs.ReadWriteLogRecord;
import io.opentelemetry.sdk.logs.SdkLoggerProviderBuilder;
import io.opentelemetry.sdk.logs.export.BatchLogRecordProcessor;
import io.opentelemetry.sdk.logs.export.LogRecordExporter;
import io.opentelemetry.sdk.metrics.Aggregation;
import io.opentelemetry.sdk.metrics.InstrumentType;
import io.opentelemetry.sdk.metrics.SdkMeterProviderBuilder;
import io.opentelemetry.sdk.metrics.export.DefaultAggregationSelector;
import io.opentelemetry.sdk.metrics.export.MetricExporter;
import io.opentelemetry.sdk.metrics.export.MetricReader;
import io.opentelemetry.sdk.metrics.export.PeriodicMetricReader;
import io.opentelemetry.sdk.trace.ReadWriteSpan;
import io.opentelemetry.sdk.trace.ReadableSpan;
import io.opentelemetry.sdk.trace.SdkTracerProviderBuilder;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/// The receivers of a process's telemetry, shared by its parts.
///
/// A receiver that is down, slow or refusing costs its telemetry and nothing else. The queues have
/// a bound, and telemetry beyond it is dropped. Each signal has one request on its way.
final class Receivers {
  /// Spans, and log records, that wait for their export.
  static final int MOST_WAITING = 2048;

  /// The longest time of a request, its repetitions included.
  private static final Duration REQUEST = Duration.ofSeconds(10);

  private static final Duration CONNECT = Duration.ofSeconds(3);
  private static final long CLOSE_SECONDS = 5;

  /// Most receivers of OTLP need no fixed buckets.
  private static final DefaultAggregationSelector EXPONENTIAL =
      DefaultAggregationSelector.getDefault()
          .with(InstrumentType.HISTOGRAM, Aggregation.base2ExponentialBucketHistogram());

  private final List<Exports> exports = new ArrayList<>();
  private final Optional<SpanExporter> spanExporter;
  private final Optional<SpanProcessor> spans;
  private final Optional<LogRecordExporter> logExporter;
  private final Optional<LogRecordProcessor> logs;
  private final Map<MetricReader, SharedReader.Parts> readers = new LinkedHashMap<>();
  private final Optional<URI> scrapeEndpoint;

  /// Listens for scrapes at once.
  Receivers(TelemetryConfig config) {
    this.spanExporter = config.otlpEndpoint().map(this::spanExporter);
    this.spans = spanExporter.map(Receivers::spans);
    this.logExporter = config.otlpEndpoint().map(this::logExporter);
    this.logs = logExporter.map(Receivers::logs);
    config.otlpEndpoint().ifPresent(base -> share(metrics(base, config)));
    this.scrapeEndpoint = config.metricsPort().map(port -> listen(config, port));
  }

  private SpanExporter spanExporter(URI base) {
    return exports(Exports.Signal.TRACES, base)
        .of(
            (SpanExporter)
                OtlpHttpSpanExporter.builder()
                    .setEndpoint(path(base, "traces"))
                    .setTimeout(REQUEST)
                    .setConnectTimeout(CONNECT)
                    .build());
  }

  /// The way of spans to the receiver; empty: none is configured.
  Optional<SpanExporter> spanExporter() {
    return spanExporter;
  }

  private static SpanProcessor spans(SpanExporter exporter) {
    return BatchSpanProcessor.builder(exporter)
        .setMaxQueueSize(MOST_WAITING)
        .setExporterTimeout(REQUEST)
        .build();
  }

  private LogRecordExporter logExporter(URI base) {
    return exports(Exports.Signal.LOGS, base)
        .of(
            (LogRecordExporter)
                OtlpHttpLogRecordExporter.builder()
                    .setEndpoint(path(base, "logs"))
                    .setTimeout(REQUEST)
                    .setConnectTimeout(CONNECT)
                    .build());
  }

  /// The way of log records to the receiver; empty: none is configured.
  Optional<LogRecordExporter> logExporter() {
    return logExporter;
  }

  private static LogRecordProcessor logs(LogRecordExporter exporter) {
    return BatchLogRecordProcessor.builder(exporter)
        .setMaxQueueSize(MOST_WAITING)
        .setExporterTimeout(REQUEST)
        .build();
  }

  private MetricReader metrics(URI base, TelemetryConfig config) {
    return PeriodicMetricReader.builder(
            exports(Exports.Signal.METRICS, base)
                .of(
                    (MetricExporter)
                        OtlpHttpMetricExporter.builder()
                            .setEndpoint(path(base, "metrics"))
                            .setTimeout(REQUEST)
                            .setConnectTimeout(CONNECT)
                            .setDefaultAggregationSelector(
                                config.otlpHistograms() == OtlpHistograms.EXPONENTIAL
                                    ? EXPONENTIAL
                                    : DefaultAggregationSelector.getDefault())
                            // Readings of one part stay as they are while others are read.
                            .setMemoryMode(MemoryMode.IMMUTABLE_DATA)
                            .build()))
        .setInterval(config.exportInterval())
        .build();
  }

  /// Series of a scrape say which part they are of. Nothing is added of the libraries that made
  /// them.
  private URI listen(TelemetryConfig config, int port) {
    int chosen = port == 0 ? ScrapePort.free(config.metricsHost()) : port;
    PrometheusHttpServerBuilder server =
        PrometheusHttpServer.builder()
            .setHost(config.metricsHost())
            .setPort(chosen)
            .setTargetInfoMetricEnabled(false)
            .setOtelScopeLabelsEnabled(false)
            .setAllowedResourceAttributesFilter("service.name"::equals);
    if (config.metricsAccess() == MetricsAccess.TOKEN) {
      server.setAuthenticator(ScrapeToken.of(config.metricsTokenFile().orElseThrow()));
    }
    share(server.build());
    return URI.create("http://" + config.metricsHost() + ":" + chosen + "/metrics");
  }

  private Exports exports(Exports.Signal signal, URI receiver) {
    Exports made = new Exports(signal, receiver.toString());
    exports.add(made);
    return made;
  }

  private void share(MetricReader reader) {
    SharedReader.Parts parts = new SharedReader.Parts();
    reader.register(parts);
    readers.put(reader, parts);
  }

  /// Connects a part.
  void connect(
      SdkTracerProviderBuilder traces,
      SdkMeterProviderBuilder metrics,
      SdkLoggerProviderBuilder records) {
    spans.ifPresent(processor -> traces.addSpanProcessor(new SharedSpans(processor)));
    readers.forEach(
        (reader, parts) -> metrics.registerMetricReader(new SharedReader(reader, parts)));
    logs.ifPresent(processor -> records.addLogRecordProcessor(new SharedRecords(processor)));
  }

  /// Registers the metrics of the exports.
  void observe(Meter meter) {
    if (!exports.isEmpty()) {
      Exports.observe(meter, exports);
    }
  }

  boolean takesLogs() {
    return logs.isPresent();
  }

  Optional<URI> scrapeEndpoint() {
    return scrapeEndpoint;
  }

  /// Sends what waits, within a bound, and stops. The parts may end only afterwards, because
  /// metrics are read once more.
  void close() {
    List<CompletableResultCode> ends = new ArrayList<>();
    spans.ifPresent(processor -> ends.add(processor.shutdown()));
    readers.keySet().forEach(reader -> ends.add(reader.shutdown()));
    logs.ifPresent(processor -> ends.add(processor.shutdown()));
    CompletableResultCode.ofAll(ends).join(CLOSE_SECONDS, TimeUnit.SECONDS);
  }

  private static String path(URI base, String signal) {
    String root = base.toString();
    return (root.endsWith("/") ? root : root + "/") + "v1/" + signal;
  }

  /// The end of the shared queue of spans in one part; the process ends the queue.
  private record SharedSpans(SpanProcessor shared) implements SpanProcessor {
    @Override
    public void onStart(Context context, ReadWriteSpan span) {
      shared.onStart(context, span);
    }

    @Override
    public boolean isStartRequired() {
      return shared.isStartRequired();
    }

    @Override
    public void onEnd(ReadableSpan span) {
      shared.onEnd(span);
    }

    @Override
    public boolean isEndRequired() {
      return shared.isEndRequired();
    }

    @Override
    public CompletableResultCode forceFlush() {
      return shared.forceFlush();
    }

    @Override
    public CompletableResultCode shutdown() {
      return CompletableResultCode.ofSuccess();
    }
  }

  /// The end of the shared queue of log records in one part.
  private record SharedRecords(LogRecordProcessor shared) implements LogRecordProcessor {
    @Override
    public void onEmit(Context context, ReadWriteLogRecord record) {
      shared.onEmit(context, record);
    }

    @Override
    public CompletableResultCode forceFlush() {
      return shared.forceFlush();
    }

    @Override
    public CompletableResultCode shutdown() {
      return CompletableResultCode.ofSuccess();
    }
  }
}
