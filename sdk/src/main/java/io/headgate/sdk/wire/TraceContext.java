package io.headgate.sdk.wire;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;

/// The W3C trace context that calls carry: the caller's own where there is one, else one trace for
/// all calls of this connection, so that a command is found in traces even without a tracing SDK.
final class TraceContext {
  private final String ownTraceId = hex(16);

  /// Of the next call: trace id and parent.
  record Parent(String traceId, String header) {}

  Parent next() {
    SpanContext current = Span.current().getSpanContext();
    return current.isValid()
        ? parent(current.getTraceId(), current.getSpanId(), current.getTraceFlags().asHex())
        : parent(ownTraceId, hex(8), "01");
  }

  private static Parent parent(String traceId, String spanId, String flags) {
    return new Parent(traceId, "00-" + traceId + "-" + spanId + "-" + flags);
  }

  private static String hex(int bytes) {
    byte[] id = new byte[bytes];
    do {
      ThreadLocalRandom.current().nextBytes(id);
    } while (id[0] == 0); // All zeros would be invalid.
    return HexFormat.of().formatHex(id);
  }
}
