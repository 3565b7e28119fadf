package io.headgate.deploy.grafana;

import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Writes maps, lists, texts, numbers and booleans as JSON, two blanks a level, in a fixed form.
final class JsonWriter {
  /// The value `null`, which lists and maps of Java do not hold.
  enum Nothing {
    NULL
  }

  private final StringBuilder text = new StringBuilder();

  private JsonWriter() {}

  /// Ends with a line break.
  static String write(Object value) {
    JsonWriter writer = new JsonWriter();
    writer.value(value, "");
    return writer.text.append('\n').toString();
  }

  private void value(@Nullable Object value, String margin) {
    switch (value) {
      case null -> text.append("null");
      case Nothing _ -> text.append("null");
      case Map<?, ?> map -> map(map, margin);
      case List<?> list -> list(list, margin);
      case Double number when number == Math.rint(number) -> text.append(number.longValue());
      case Number number -> text.append(number);
      case Boolean bool -> text.append(bool);
      default -> quoted(value.toString());
    }
  }

  private void map(Map<?, ?> map, String margin) {
    if (map.isEmpty()) {
      text.append("{}");
      return;
    }
    String inner = margin + "  ";
    text.append("{\n");
    for (Iterator<? extends Map.Entry<?, ?>> all = map.entrySet().iterator(); all.hasNext(); ) {
      Map.Entry<?, ?> entry = all.next();
      text.append(inner);
      quoted(entry.getKey().toString());
      text.append(": ");
      value(entry.getValue(), inner);
      text.append(all.hasNext() ? ",\n" : "\n");
    }
    text.append(margin).append('}');
  }

  private void list(List<?> list, String margin) {
    if (list.isEmpty()) {
      text.append("[]");
      return;
    }
    String inner = margin + "  ";
    text.append("[\n");
    for (Iterator<?> all = list.iterator(); all.hasNext(); ) {
      text.append(inner);
      value(all.next(), inner);
      text.append(all.hasNext() ? ",\n" : "\n");
    }
    text.append(margin).append(']');
  }

  private void quoted(String string) {
    text.append('"');
    for (int i = 0; i < string.length(); i++) {
      char each = string.charAt(i);
      switch (each) {
        case '"' -> text.append("\\\"");
        case '\\' -> text.append("\\\\");
        case '\n' -> text.append("\\n");
        default -> text.append(each < ' ' ? "\\u%04x".formatted((int) each) : each);
      }
    }
    text.append('"');
  }
}
