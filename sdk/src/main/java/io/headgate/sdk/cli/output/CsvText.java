package io.headgate.sdk.cli.output;

import java.util.List;

/// RFC 4180, with `\n` as line end.
public final class CsvText {
  private CsvText() {}

  /// One line, without its end.
  public static String line(List<String> fields) {
    return String.join(",", fields.stream().map(CsvText::field).toList());
  }

  private static String field(String text) {
    boolean plain = text.chars().noneMatch(c -> c == ',' || c == '"' || c == '\n' || c == '\r');
    return plain ? text : "\"" + text.replace("\"", "\"\"") + "\"";
  }
}
