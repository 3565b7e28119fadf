package io.headgate.sdk.cli.command;

import io.headgate.sdk.config.ConfigurationReference.Row;
import io.headgate.sdk.config.ConfigurationReference.Section;
import java.util.List;
import java.util.Map;

/// Prints the reference of the keys of a file.
final class ConfigurationHelp {
  private ConfigurationHelp() {}

  static String text(String title, Map<String, String> types, List<Section> sections) {
    StringBuilder text = new StringBuilder(title).append("\n\nHow values are written\n\n");
    types.forEach((type, form) -> text.append("  %-18s %s%n".formatted(type, form)));
    for (Section section : sections) {
      text.append('\n')
          .append(section.path().isEmpty() ? "Top of the file" : section.path())
          .append("\n  ")
          .append(section.meaning())
          .append("\n\n");
      section.rows().forEach(row -> text.append(text(row)));
    }
    return text.toString();
  }

  private static String text(Row row) {
    String defaultText =
        row.defaultText().isEmpty()
            ? ""
            : row.defaultText().startsWith("required")
                ? ", " + row.defaultText()
                : ", default " + row.defaultText();
    String bound = row.bound().isEmpty() ? "" : "; " + row.bound();
    return "  %-18s %s%s%s%n  %-18s %s%n"
        .formatted(row.key(), row.type(), defaultText, bound, "", row.meaning());
  }
}
