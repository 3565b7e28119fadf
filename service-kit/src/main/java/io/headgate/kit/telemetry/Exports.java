package io.headgate.kit.telemetry;

import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.metrics.Meter;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.common.export.MemoryMode;
import io.opentelemetry.sdk.logs.data.LogRecordData;
import io.opentelemetry.sdk.logs.export.LogRecordExporter;
import io.opentelemetry.sdk.metrics.Aggregation;
import io.opentelemetry.sdk.metrics.InstrumentType;
import io.opentelemetry.sdk.metrics.data.AggregationTemporality;
import io.opentelemetry.sdk.metrics.data.MetricData;
import io.opentelemetry.sdk.metrics.export.MetricExporter;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.net.ConnectException;
import java.net.http.HttpTimeoutException;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Counts the exports of one signal by their outcome, and says in the log when a receiver begins to
/// fail and when it works again. The library would write a stack trace for each failure.
final class Exports {
  private static final Logger LOG = LoggerFactory.getLogger(Exports.class);

  private final Signal signal;
  private final String receiver;
  private final LongAdder good = new LongAdder();
  private final LongAdder bad = new LongAdder();
  private final AtomicBoolean fails = new AtomicBoolean();

  /// A kind of telemetry.
  enum Signal {
    TRACES,
    METRICS,
    LOGS;

    String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  Exports(Signal signal, String receiver) {
    this.signal = signal;
    this.receiver = receiver;
  }

  static void observe(Meter meter, List<Exports> all) {
    ServiceMetrics.EXPORTS
        .observedCounter(meter)
        .buildWithCallback(counter -> {
          for (Exports each : all) {
            Attributes of = Attributes.of(ServiceMetrics.SIGNAL, each.signal.word());
            counter.record(
                each.good.sum(), of.toBuilder().put(ServiceMetrics.OUTCOME, "ok").build());
            counter.record(
                each.bad.sum(), of.toBuilder().put(ServiceMetrics.OUTCOME, "failed").build());
          }
        });
  }

  private CompletableResultCode noted(CompletableResultCode result) {
    return result.whenComplete(() -> {
      if (result.isSuccess()) {
        good.increment();
        if (fails.compareAndSet(true, false)) {
          LOG.info("{} takes {} again", receiver, signal.word());
        }
      } else {
        bad.increment();
        if (fails.compareAndSet(false, true)) {
          LOG.warn(
              "{} takes no {}: {}. They are dropped until it does. Start the receiver, or correct"
                  + " telemetry.otlp-endpoint",
              receiver,
              signal.word(),
              cause(result.getFailureThrowable()));
        }
      }
    });
  }

  /// The library wraps what the network said; without that, the receiver answered with an error.
  private static String cause(@Nullable Throwable failure) {
    for (Throwable each = failure; each != null; each = each.getCause()) {
      if (each instanceof ConnectException) {
        return "it cannot be reached";
      }
      if (each instanceof HttpTimeoutException) {
        return "it did not answer in time";
      }
    }
    return "it refused them";
  }

  SpanExporter of(SpanExporter exporter) {
    return new SpanExporter() {
      @Override
      public CompletableResultCode export(Collection<SpanData> spans) {
        return noted(exporter.export(spans));
      }

      @Override
      public CompletableResultCode flush() {
        return exporter.flush();
      }

      @Override
      public CompletableResultCode shutdown() {
        return exporter.shutdown();
      }
    };
  }

  LogRecordExporter of(LogRecordExporter exporter) {
    return new LogRecordExporter() {
      @Override
      public CompletableResultCode export(Collection<LogRecordData> records) {
        return noted(exporter.export(records));
      }

      @Override
      public CompletableResultCode flush() {
        return exporter.flush();
      }

      @Override
      public CompletableResultCode shutdown() {
        return exporter.shutdown();
      }
    };
  }

  MetricExporter of(MetricExporter exporter) {
    return new MetricExporter() {
      @Override
      public CompletableResultCode export(Collection<MetricData> metrics) {
        return noted(exporter.export(metrics));
      }

      @Override
      public AggregationTemporality getAggregationTemporality(InstrumentType type) {
        return exporter.getAggregationTemporality(type);
      }

      @Override
      public Aggregation getDefaultAggregation(InstrumentType type) {
        return exporter.getDefaultAggregation(type);
      }

      @Override
      public MemoryMode getMemoryMode() {
        return exporter.getMemoryMode();
      }

      @Override
      public CompletableResultCode flush() {
        return exporter.flush();
      }

      @Override
      public CompletableResultCode shutdown() {
        return exporter.shutdown();
      }
    };
  }
}
