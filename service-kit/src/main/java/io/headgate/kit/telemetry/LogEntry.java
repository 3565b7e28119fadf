package io.headgate.kit.telemetry;

import java.time.Instant;
import java.util.Map;

/// A log record that is sent as a whole, such as a line that another program wrote.
///
/// @param event what all records of its kind are called
/// @param observed when this process read it
/// @param text one line
/// @param traceparent the trace that it belongs to, as W3C writes it; empty: none
/// @param attributes strings and whole numbers
public record LogEntry(
    String event,
    Instant observed,
    String text,
    String traceparent,
    Map<String, Object> attributes) {
  public LogEntry {
    attributes = Map.copyOf(attributes);
  }
}
