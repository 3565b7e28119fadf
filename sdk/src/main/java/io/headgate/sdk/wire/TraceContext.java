package io.headgate.sdk.wire;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;

/// The W3C trace context of calls: the caller's own where there is one, otherwise one trace for all
/// calls of this connection. Thereby traces contain commands even without a tracing SDK.
final class TraceContext {
  private final String ownTraceId = hex(16);

  /// Trace id and parent of the next call.
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
    } while (id[0] == 0); // An id of zeros is invalid.
    return HexFormat.of().formatHex(id);
  }
}
