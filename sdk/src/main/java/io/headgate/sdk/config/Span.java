package io.headgate.sdk.config;

/// A piece of one line of a file.
///
/// @param line from 1
/// @param column of its first character, from 1, counted in code points
/// @param length in code points, at least 1
public record Span(int line, int column, int length) {
  public Span {
    if (line < 1 || column < 1 || length < 1) {
      throw new IllegalArgumentException(
          "not a place in a file: " + line + ":" + column + "+" + length);
    }
  }
}
