package io.headgate.sdk.cli.error;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// One error with its parts.
///
/// @param message what is wrong, with the value
/// @param reason stable code
/// @param where places: flags, `--> file:line:column field`, the server
/// @param snippet the source line with the place marked
/// @param why the reason with its numbers, as a sentence
/// @param next what to do, each line on its own
/// @param json the error for machines
public record ErrorFrame(
    String message,
    String reason,
    List<String> where,
    @Nullable Snippet snippet,
    @Nullable String why,
    List<String> next,
    Map<String, Object> json) {
  public ErrorFrame {
    where = List.copyOf(where);
    next = List.copyOf(next);
    json = Collections.unmodifiableMap(new LinkedHashMap<>(json));
  }

  /// A line of a file with a part of it marked.
  public record Snippet(int line, String text, int column, int length, String note) {}

  /// A mistake in the call of a command.
  public static ErrorFrame usage(String message, String reason, List<String> next) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("code", "INVALID_ARGUMENT");
    json.put("reason", reason);
    json.put("message", message);
    return new ErrorFrame(message, reason, List.of(), null, null, next, json);
  }

  /// Replaces the message for people; the JSON keeps the server's.
  public ErrorFrame message(String text) {
    return new ErrorFrame(text, reason, where, snippet, why, next, json);
  }

  public ErrorFrame where(String... places) {
    return new ErrorFrame(message, reason, List.of(places), snippet, why, next, json);
  }

  public ErrorFrame why(String text) {
    return new ErrorFrame(message, reason, where, snippet, text, next, json);
  }

  public ErrorFrame next(List<String> lines) {
    return new ErrorFrame(message, reason, where, snippet, why, lines, json);
  }

  /// Adds a value to the JSON.
  public ErrorFrame with(String key, Object value) {
    Map<String, Object> more = new LinkedHashMap<>(json);
    more.put(key, value);
    return new ErrorFrame(message, reason, where, snippet, why, next, more);
  }
}
