package io.headgate.sdk.cli.output;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.util.JsonFormat;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Proto3 JSON of messages, and plain JSON of maps. What a terminal could take for a command is
/// always written as an escape.
public final class JsonText {
  private JsonText() {}

  /// A message over several lines.
  public static String pretty(Message message) {
    return print(JsonFormat.printer(), message);
  }

  /// A message in one line.
  public static String line(Message message) {
    return print(JsonFormat.printer().omittingInsignificantWhitespace(), message);
  }

  private static String print(JsonFormat.Printer printer, Message message) {
    try {
      return escapeControls(printer.alwaysPrintFieldsWithNoPresence().print(message));
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalArgumentException("a message without JSON form", e);
    }
  }

  /// Escapes what JSON allows raw and terminals do not: these characters occur inside strings only.
  private static String escapeControls(String json) {
    if (json.chars().noneMatch(JsonText::isDelicate)) {
      return json;
    }
    StringBuilder escaped = new StringBuilder();
    json.chars()
        .forEach(c -> {
          if (isDelicate(c)) {
            escaped.append("\\u%04x".formatted(c));
          } else {
            escaped.append((char) c);
          }
        });
    return escaped.toString();
  }

  private static boolean isDelicate(int c) {
    return (c >= 0x7F && c <= 0x9F)
        || (c >= 0x202A && c <= 0x202E)
        || (c >= 0x2066 && c <= 0x2069)
        || c >= 0xFFFE;
  }

  /// JSON text moved to the right.
  static String indent(String json, int by) {
    return json.replace("\n", "\n" + " ".repeat(by));
  }

  /// Strings, numbers, booleans, maps and lists in one line; null values of maps are left out.
  public static String of(@Nullable Object value) {
    StringBuilder json = new StringBuilder();
    append(json, value);
    return json.toString();
  }

  private static void append(StringBuilder json, @Nullable Object value) {
    switch (value) {
      case null -> json.append("null");
      case Map<?, ?> map -> {
        List<String> members = new ArrayList<>();
        map.forEach((key, member) -> {
          if (member != null) {
            members.add(quoted(String.valueOf(key)) + ":" + of(member));
          }
        });
        json.append('{').append(String.join(",", members)).append('}');
      }
      case List<?> list ->
          json.append('[')
              .append(String.join(",", list.stream().map(JsonText::of).toList()))
              .append(']');
      case Number number -> json.append(number);
      case Boolean bool -> json.append(bool);
      default -> json.append(quoted(value.toString()));
    }
  }

  private static String quoted(String text) {
    StringBuilder quoted = new StringBuilder("\"");
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '"' -> quoted.append("\\\"");
        case '\\' -> quoted.append("\\\\");
        case '\n' -> quoted.append("\\n");
        case '\t' -> quoted.append("\\t");
        default -> {
          if (c < 0x20 || isDelicate(c)) {
            quoted.append("\\u%04x".formatted((int) c));
          } else {
            quoted.append(c);
          }
        }
      }
    }
    return quoted.append('"').toString();
  }
}
