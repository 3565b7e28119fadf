package io.headgate.kit.telemetry;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import io.opentelemetry.instrumentation.logback.appender.v1_0.OpenTelemetryAppender;
import org.slf4j.event.KeyValuePair;

/// Sends log records with the name of their event ([EventName]), so that receivers count and find
/// them by it.
final class NamedRecords extends OpenTelemetryAppender {
  /// The appender makes the record's field `event_name` of it, and no attribute.
  private static final String EVENT_NAME = "otel.event.name";

  @Override
  protected void append(ILoggingEvent event) {
    if (event instanceof LoggingEvent record) {
      record.addKeyValuePair(new KeyValuePair(EVENT_NAME, EventName.of(event)));
    }
    super.append(event);
  }
}
