package io.headgate.kit.telemetry;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.logs.LogRecordBuilder;
import io.opentelemetry.api.logs.Logger;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import io.opentelemetry.sdk.logs.LogRecordProcessor;
import io.opentelemetry.sdk.logs.ReadWriteLogRecord;
import io.opentelemetry.sdk.logs.SdkLoggerProvider;
import io.opentelemetry.sdk.logs.data.LogRecordData;
import io.opentelemetry.sdk.logs.export.LogRecordExporter;
import io.opentelemetry.sdk.resources.Resource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Sends log records to the receiver of logs, and says whether it took them. Blocks; keeps nothing
/// in memory. For one thread at a time.
public final class LogOutput {
  private final LogRecordExporter exporter;
  private final Made made = new Made();
  private final Logger logger;

  LogOutput(LogRecordExporter exporter, Resource resource, String scope) {
    this.exporter = exporter;
    this.logger =
        SdkLoggerProvider.builder()
            .setResource(resource)
            .addLogRecordProcessor(made)
            .build()
            .get(scope);
  }

  /// A way to any exporter, for records of the service `service`.
  public static LogOutput to(LogRecordExporter exporter, String service, String scope) {
    return new LogOutput(
        exporter,
        Resource.create(Attributes.of(AttributeKey.stringKey("service.name"), service)),
        scope);
  }

  /// Sends the records; false: the receiver refused them, or did not answer in time.
  public boolean send(List<LogEntry> entries, Duration patience) {
    List<LogRecordData> records;
    try {
      entries.forEach(this::make);
    } finally {
      records = made.take();
    }
    return exporter.export(records).join(patience.toMillis(), TimeUnit.MILLISECONDS).isSuccess();
  }

  private void make(LogEntry entry) {
    LogRecordBuilder builder =
        logger
            .logRecordBuilder()
            .setEventName(entry.event())
            .setObservedTimestamp(entry.observed())
            .setContext(context(entry.traceparent()))
            .setBody(entry.text());
    entry
        .attributes()
        .forEach((name, value) -> {
          if (value instanceof Number number) {
            builder.setAttribute(AttributeKey.longKey(name), number.longValue());
          } else {
            builder.setAttribute(AttributeKey.stringKey(name), value.toString());
          }
        });
    builder.emit();
  }

  private static Context context(String traceparent) {
    return W3CTraceContextPropagator.getInstance()
        .extract(Context.root(), traceparent, TraceparentOnly.INSTANCE);
  }

  /// Keeps the records that the library makes until they are sent.
  private static final class Made implements LogRecordProcessor {
    private List<LogRecordData> records = new ArrayList<>();

    @Override
    public void onEmit(Context context, ReadWriteLogRecord record) {
      records.add(record.toLogRecordData());
    }

    List<LogRecordData> take() {
      List<LogRecordData> taken = records;
      records = new ArrayList<>();
      return taken;
    }
  }

  private enum TraceparentOnly implements TextMapGetter<String> {
    INSTANCE;

    private static final String NAME = "traceparent";

    @Override
    public Iterable<String> keys(String carrier) {
      return Set.of(NAME);
    }

    @Override
    public @Nullable String get(@Nullable String carrier, String key) {
      return key.equals(NAME) ? carrier : null;
    }
  }
}
