package io.headgate.sdk.cli.output;

import java.util.List;

/// One row of a list: the record for tables and the API messages for JSON.
public record Row<T>(T value, List<RowMessage> parts) {
  public Row {
    parts = List.copyOf(parts);
  }

  /// A row with one message.
  public static <T> Row<T> of(
      T value, String singular, String plural, com.google.protobuf.Message message) {
    return new Row<>(value, List.of(new RowMessage(singular, plural, message)));
  }

  /// The message as JSON; several messages form an object with their names as keys.
  public String jsonLine() {
    if (parts.size() == 1) {
      return JsonText.line(parts.getFirst().message());
    }
    return "{"
        + String.join(
            ",",
            parts.stream()
                .map(part -> "\"" + part.singular() + "\":" + JsonText.line(part.message()))
                .toList())
        + "}";
  }

  /// As [#jsonLine], over several lines.
  public String json() {
    if (parts.size() == 1) {
      return JsonText.pretty(parts.getFirst().message());
    }
    return "{\n"
        + String.join(
            ",\n",
            parts.stream()
                .map(part ->
                    "  \""
                        + part.singular()
                        + "\": "
                        + JsonText.indent(JsonText.pretty(part.message()), 2))
                .toList())
        + "\n}";
  }
}
