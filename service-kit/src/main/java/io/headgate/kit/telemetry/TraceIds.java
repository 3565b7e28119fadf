package io.headgate.kit.telemetry;

import ch.qos.logback.classic.pattern.ClassicConverter;
import ch.qos.logback.classic.spi.ILoggingEvent;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;

/// `%trace` in the log layout: the ids of the line's trace and request.
public final class TraceIds extends ClassicConverter {

  @Override
  public String convert(ILoggingEvent event) {
    StringBuilder ids = new StringBuilder();
    SpanContext span = Span.current().getSpanContext();
    if (span.isValid()) {
      ids.append(" trace=").append(span.getTraceId());
    }
    String request = event.getMDCPropertyMap().get("request");
    if (request != null) {
      ids.append(" request=").append(request);
    }
    return ids.toString();
  }
}
