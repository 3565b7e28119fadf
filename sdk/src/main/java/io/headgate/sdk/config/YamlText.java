package io.headgate.sdk.config;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Writes YAML in the house's form: two spaces, lists of names in one line, words plain where YAML
/// cannot take them for anything else, and in double quotes (as JSON writes them) otherwise.
final class YamlText {
  private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9./][A-Za-z0-9._/+-]*");
  // Plain words that YAML reads as something else than text; our reader would not mind, others
  // would.
  private static final Pattern SPECIAL =
      Pattern.compile("(?i)null|~|true|false|yes|no|on|off|\\.inf|\\.nan");

  private final StringBuilder text = new StringBuilder();
  private String indent = "";
  private boolean firstOfItem;

  void entry(String key, String value) {
    start(key).append(' ').append(scalar(value)).append('\n');
  }

  void entryOrNothing(String key, @Nullable Object value) {
    if (value != null) {
      entry(key, value.toString());
    }
  }

  void unlessDefault(String key, Object value, Object fallback) {
    if (!value.equals(fallback)) {
      entry(key, value.toString());
    }
  }

  /// A list of names in one line; nothing when there are none.
  void names(String key, List<String> names) {
    if (!names.isEmpty()) {
      list(key, names);
    }
  }

  /// A list of names in one line, also an empty one.
  void list(String key, List<String> names) {
    List<String> scalars = names.stream().map(YamlText::scalar).toList();
    start(key).append(" [").append(String.join(", ", scalars)).append("]\n");
  }

  void mapping(String key, Consumer<YamlText> content) {
    start(key).append('\n');
    indented("  ", () -> content.accept(this));
  }

  /// A small mapping in one line.
  void inline(String key, Consumer<Inline> content) {
    Inline inline = new Inline();
    content.accept(inline);
    start(key).append(" {").append(inline.text).append("}\n");
  }

  /// A top-level list of mappings, set off by an empty line; nothing when there are none.
  <T> void section(String key, List<T> items, BiConsumer<YamlText, T> writer) {
    if (items.isEmpty()) {
      return;
    }
    text.append('\n');
    start(key).append('\n');
    for (T item : items) {
      text.append("  - ");
      firstOfItem = true;
      indented("    ", () -> writer.accept(this, item));
    }
  }

  /// A list of small mappings, one line each; nothing when there are none.
  <T> void inlineItems(String key, List<T> items, BiConsumer<Inline, T> writer) {
    if (items.isEmpty()) {
      return;
    }
    start(key).append('\n');
    for (T item : items) {
      Inline inline = new Inline();
      writer.accept(inline, item);
      text.append(indent).append("  - {").append(inline.text).append("}\n");
    }
  }

  private StringBuilder start(String key) {
    if (firstOfItem) {
      firstOfItem = false;
    } else {
      text.append(indent);
    }
    return text.append(scalar(key)).append(':');
  }

  private void indented(String by, Runnable content) {
    String outer = indent;
    indent = outer + by;
    content.run();
    indent = outer;
  }

  static String scalar(String value) {
    if (value.equals("true") || value.equals("false")) {
      return value;
    }
    boolean plain = PLAIN.matcher(value).matches() && !SPECIAL.matcher(value).matches();
    return plain ? value : quoted(value);
  }

  private static String quoted(String value) {
    StringBuilder quoted = new StringBuilder("\"");
    value
        .codePoints()
        .forEach(point -> {
          switch (point) {
            case '"' -> quoted.append("\\\"");
            case '\\' -> quoted.append("\\\\");
            case '\n' -> quoted.append("\\n");
            case '\t' -> quoted.append("\\t");
            default -> {
              if (Character.isISOControl(point) || point == 0x2028 || point == 0x2029) {
                quoted.append("\\u%04x".formatted(point));
              } else {
                quoted.appendCodePoint(point);
              }
            }
          }
        });
    return quoted.append('"').toString();
  }

  @Override
  public String toString() {
    return text.toString();
  }

  /// The inside of `{…}`.
  static final class Inline {
    private final StringBuilder text = new StringBuilder();

    void entry(String key, String value) {
      text.append(text.isEmpty() ? "" : ", ").append(key).append(": ").append(scalar(value));
    }

    void entryOrNothing(String key, @Nullable Object value) {
      if (value != null) {
        entry(key, value.toString());
      }
    }

    void unlessDefault(String key, Object value, Object fallback) {
      if (!value.equals(fallback)) {
        entry(key, value.toString());
      }
    }

    /// A list of small mappings inside of this one.
    <T> void items(String key, List<T> items, BiConsumer<Inline, T> writer) {
      List<String> texts = new ArrayList<>();
      for (T item : items) {
        Inline inline = new Inline();
        writer.accept(inline, item);
        texts.add("{" + inline.text + "}");
      }
      text.append(text.isEmpty() ? "" : ", ").append(key).append(": [");
      text.append(String.join(", ", texts)).append(']');
    }
  }
}
