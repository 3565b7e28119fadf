package io.headgate.sdk.config;

import java.util.List;

/// A file as it was read, to show lines of it.
public record SourceText(String fileName, List<String> lines) {
  public SourceText {
    lines = List.copyOf(lines);
  }

  public static SourceText of(String fileName, String text) {
    return new SourceText(fileName, text.lines().toList());
  }

  /// The line with this number, from 1; empty past the end.
  public String line(int number) {
    return number <= lines.size() ? lines.get(number - 1) : "";
  }
}
