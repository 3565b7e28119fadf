package io.headgate.sdk.config;

import org.jspecify.annotations.Nullable;

/// The text is not one YAML or JSON document.
final class MalformedTextException extends Exception {
  private static final long serialVersionUID = 1L;

  private final String reason;
  private final transient @Nullable Span span;

  MalformedTextException(String message, String reason, @Nullable Span span) {
    super(message);
    this.reason = reason;
    this.span = span;
  }

  String reason() {
    return reason;
  }

  @Nullable Span span() {
    return span;
  }
}
