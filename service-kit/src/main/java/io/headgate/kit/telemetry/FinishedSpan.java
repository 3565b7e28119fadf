package io.headgate.kit.telemetry;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// A span that is written as a whole, with times and ids of its own. Its ids follow from its
/// subject, so a process that writes it again writes the same span.
///
/// @param traceId 32 hexadecimal digits
/// @param spanId 16 hexadecimal digits
/// @param parentId of the same trace; absent: it is the root
/// @param attributes text or whole numbers by name
/// @param problem what went wrong; absent: nothing did
public record FinishedSpan(
    String name,
    Kind kind,
    String traceId,
    String spanId,
    Optional<String> parentId,
    Instant begin,
    Instant end,
    Map<String, Object> attributes,
    List<Link> links,
    Optional<String> problem) {
  public FinishedSpan {
    attributes = Map.copyOf(attributes);
    links = List.copyOf(links);
  }

  /// On which side of a call the span is.
  public enum Kind {
    INTERNAL,
    SERVER
  }

  /// A related span of another trace, or of another part of the same one.
  ///
  /// @param relation word for the attribute `headgate.link`
  public record Link(String traceId, String spanId, String relation) {}
}
