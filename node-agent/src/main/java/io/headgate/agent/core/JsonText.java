package io.headgate.agent.core;

import java.util.stream.Collectors;

/// Strings in JSON.
public final class JsonText {
  private JsonText() {}

  /// The string as JSON writes it, with its quotation marks.
  public static String of(String value) {
    return value
        .chars()
        .mapToObj(c ->
            switch (c) {
              case '"' -> "\\\"";
              case '\\' -> "\\\\";
              default -> c < ' ' ? "\\u%04x".formatted(c) : Character.toString(c);
            })
        .collect(Collectors.joining("", "\"", "\""));
  }
}
