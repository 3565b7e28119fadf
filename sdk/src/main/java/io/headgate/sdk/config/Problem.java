package io.headgate.sdk.config;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/// One mistake in a file, in the four parts of every Headgate error: what, where, why, what next.
///
/// @param reason stable code
/// @param message what is wrong, with the value
/// @param span place; null when the problem concerns the whole file
/// @param field path such as `policies[ai-dev].reservation`; empty for the whole file
/// @param value the offending text; null when something is missing
/// @param note short reason under the marked source line; null: the line is not shown
/// @param why the reason as a sentence of its own
/// @param next what to do
/// @param metadata the numbers, for machines
public record Problem(
    String reason,
    String message,
    @Nullable Span span,
    String field,
    @Nullable String value,
    @Nullable String note,
    @Nullable String why,
    @Nullable String next,
    Map<String, String> metadata) {
  public Problem {
    metadata = Map.copyOf(metadata);
  }

  static Problem of(String reason, String message, @Nullable Span span, String field) {
    return new Problem(reason, message, span, field, null, null, null, null, Map.of());
  }

  /// Moves the mistake to another place.
  Problem at(@Nullable Span newSpan, String newField) {
    return new Problem(reason, message, newSpan, newField, value, note, why, next, metadata);
  }

  Problem value(String text) {
    return new Problem(reason, message, span, field, text, note, why, next, metadata);
  }

  /// Shows the source line with the place marked, and this note beside the mark.
  Problem note(String text) {
    return new Problem(reason, message, span, field, value, text, why, next, metadata);
  }

  Problem why(String text) {
    return new Problem(reason, message, span, field, value, note, text, next, metadata);
  }

  Problem next(@Nullable String text) {
    return new Problem(reason, message, span, field, value, note, why, text, metadata);
  }

  Problem metadata(Map<String, String> numbers) {
    return new Problem(reason, message, span, field, value, note, why, next, numbers);
  }
}
