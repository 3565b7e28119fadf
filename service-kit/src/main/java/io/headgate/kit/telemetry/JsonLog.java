package io.headgate.kit.telemetry;

import ch.qos.logback.classic.pattern.ThrowableProxyConverter;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.encoder.EncoderBase;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// The log as one JSON object a line, for collectors of logs.
///
/// | field | content |
/// |---|---|
/// | `time`, `level`, `service`, `logger`, `thread` | of the record |
/// | `event` | the same for all records of one statement of the code: [EventName] |
/// | `message` | as in the text form |
/// | `trace_id`, `span_id`, `request` | of the call that is served, if any |
/// | `error` | stack trace, if something was thrown |
///
/// A record has the same content as its line of text, so it shows no more secrets than that: none.
final class JsonLog extends EncoderBase<ILoggingEvent> {
  private final String service;
  private final ThrowableProxyConverter thrown = new ThrowableProxyConverter();

  JsonLog(String service) {
    this.service = service;
  }

  @Override
  public void start() {
    thrown.setContext(getContext());
    thrown.start();
    super.start();
  }

  @Override
  public byte[] headerBytes() {
    return new byte[0];
  }

  @Override
  public byte[] encode(ILoggingEvent event) {
    StringBuilder line = new StringBuilder(256).append('{');
    field(line, "time", event.getInstant().toString());
    field(line, "level", event.getLevel().toString().toLowerCase(Locale.ROOT));
    field(line, "service", service);
    field(line, "event", EventName.of(event));
    field(line, "logger", event.getLoggerName());
    field(line, "thread", event.getThreadName());
    SpanContext span = Span.current().getSpanContext();
    if (span.isValid()) {
      field(line, "trace_id", span.getTraceId());
      field(line, "span_id", span.getSpanId());
    }
    field(line, "request", event.getMDCPropertyMap().get("request"));
    field(line, "message", String.valueOf(event.getFormattedMessage()));
    if (event.getThrowableProxy() != null) {
      field(line, "error", thrown.convert(event));
    }
    return line.append("}\n").toString().getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public byte[] footerBytes() {
    return new byte[0];
  }

  private static void field(StringBuilder line, String name, @Nullable String value) {
    if (value == null) {
      return;
    }
    line.append(line.length() > 1 ? "," : "").append('"').append(name).append("\":\"");
    for (int i = 0; i < value.length(); i++) {
      char each = value.charAt(i);
      switch (each) {
        case '"', '\\' -> line.append('\\').append(each);
        case '\n' -> line.append("\\n");
        case '\t' -> line.append("\\t");
        default -> {
          if (Character.isISOControl(each) || each == '\u2028' || each == '\u2029') {
            line.append("\\u%04x".formatted((int) each));
          } else {
            line.append(each);
          }
        }
      }
    }
    line.append('"');
  }
}
