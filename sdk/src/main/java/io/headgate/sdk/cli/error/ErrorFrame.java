package io.headgate.sdk.cli.error;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// One error in its four parts.
///
/// @param message what, with the value
/// @param reason stable code
/// @param where places: flags, `--> file:line:column field`, the server
/// @param snippet the source line with the place marked
/// @param why the reason with its numbers, as a sentence
/// @param next what to do, each line on its own
/// @param json the same for machines
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

  /// A line of a file with a mark under a part of it.
  public record Snippet(int line, String text, int column, int length, String note) {}

  /// A mistake in how a command was called.
  public static ErrorFrame usage(String message, String reason, List<String> next) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("code", "INVALID_ARGUMENT");
    json.put("reason", reason);
    json.put("message", message);
    return new ErrorFrame(message, reason, List.of(), null, null, next, json);
  }

  /// The same in other words; machines go on to get the server's.
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

  /// With one more fact for machines.
  public ErrorFrame with(String key, Object value) {
    Map<String, Object> more = new LinkedHashMap<>(json);
    more.put(key, value);
    return new ErrorFrame(message, reason, where, snippet, why, next, more);
  }
}
