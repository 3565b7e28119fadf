package io.headgate.sdk.config;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/// Where in the file each field stands, so that what a server says about `policies[rnd].limit` can
/// be shown at its line.
public final class SourceMap {
  private final Map<String, Span> spans = new HashMap<>();

  void put(String field, Span span) {
    spans.putIfAbsent(field, span);
  }

  /// The place of a field's value; for a field that is not in the file, the place of its parent.
  public Optional<Span> find(String field) {
    String path = field;
    while (!path.isEmpty()) {
      Span span = spans.get(path);
      if (span != null) {
        return Optional.of(span);
      }
      path = path.substring(0, Math.max(0, Math.max(path.lastIndexOf('.'), path.lastIndexOf('['))));
    }
    return Optional.empty();
  }
}
