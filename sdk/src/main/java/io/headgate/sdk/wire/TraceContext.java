package io.headgate.sdk.wire;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;

/// The W3C trace context of calls: the caller's own where there is one, otherwise one trace for all
/// calls of this connection, and another for its streams, which may last for days. Thereby a
/// server's log names the command that called, even without a tracing SDK.
final class TraceContext {
  private final String ownTraceId = hex(16);
  private final String streamTraceId = hex(16);
  private final AtomicBoolean isSubmitted = new AtomicBoolean();

  /// Trace id and parent of the next call.
  record Parent(String traceId, String header) {}

  Parent next() {
    return next(ownTraceId);
  }

  Parent nextStream() {
    return next(streamTraceId);
  }

  private static Parent next(String traceId) {
    SpanContext current = Span.current().getSpanContext();
    return current.isValid()
        ? of(current)
        // The flag says that no span of this id is written.
        : parent(traceId, hex(8), "00");
  }

  /// The trace of a submission that has a span of its own. The first one takes the trace of the
  /// connection, so that it contains the exchange of the key, and what a command asks afterwards.
  String submissionTraceId() {
    return isSubmitted.compareAndSet(false, true) ? ownTraceId : hex(16);
  }

  static Parent of(SpanContext span) {
    return parent(span.getTraceId(), span.getSpanId(), span.getTraceFlags().asHex());
  }

  static Parent recorded(String traceId, String spanId) {
    return parent(traceId, spanId, "01");
  }

  private static Parent parent(String traceId, String spanId, String flags) {
    return new Parent(traceId, "00-" + traceId + "-" + spanId + "-" + flags);
  }

  static String hex(int bytes) {
    byte[] id = new byte[bytes];
    do {
      ThreadLocalRandom.current().nextBytes(id);
    } while (id[0] == 0); // An id of zeros is invalid.
    return HexFormat.of().formatHex(id);
  }
}
