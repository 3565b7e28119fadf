package io.headgate.sdk.cli.output;

import io.headgate.type.NearestName;
import java.util.Arrays;
import java.util.List;

/// The output form that `-o` selects.
///
/// @param columns named columns; only with [Kind#COLUMNS]
public record OutputForm(Kind kind, List<String> columns) {
  public static final OutputForm DEFAULT = new OutputForm(Kind.TABLE, List.of());
  private static final List<String> WORDS =
      List.of("table", "wide", "json", "jsonl", "yaml", "csv", "name");

  /// The forms.
  public enum Kind {
    TABLE,
    WIDE,
    JSON,
    JSONL,
    YAML,
    CSV,
    NAME,
    COLUMNS
  }

  public OutputForm {
    columns = List.copyOf(columns);
  }

  /// Reads `json` or `columns=JOB,STATE`.
  public static OutputForm parse(String text) {
    if (text.startsWith("columns=") && text.length() > "columns=".length()) {
      return new OutputForm(
          Kind.COLUMNS, Arrays.asList(text.substring("columns=".length()).split(",")));
    }
    if (!WORDS.contains(text)) {
      String next =
          NearestName.suggestion(text, WORDS)
              .orElse("forms: " + String.join(", ", WORDS) + ", columns=A,B");
      throw new UsageException("\"" + text + "\" is not an output form", "BAD_OUTPUT_FORM", next);
    }
    return new OutputForm(Kind.valueOf(text.toUpperCase(java.util.Locale.ROOT)), List.of());
  }

  /// Reads a form of a command that has forms of its own. Forms other than JSON count as
  /// [#DEFAULT].
  public static OutputForm parse(String text, List<String> own) {
    if (!own.contains(text)) {
      throw new UsageException(
          "\"" + text + "\" is not an output form of this command",
          "BAD_OUTPUT_FORM",
          NearestName.suggestion(text, own).orElse("forms: " + String.join(", ", own)));
    }
    return text.startsWith("json") ? parse(text) : DEFAULT;
  }

  /// The form's name as a value of `-o`.
  String word() {
    return kind.name().toLowerCase(java.util.Locale.ROOT);
  }

  /// Whether the form is for people, so that a watch redraws it in place.
  public boolean isTable() {
    return switch (kind) {
      case TABLE, WIDE, COLUMNS -> true;
      case JSON, JSONL, YAML, CSV, NAME -> false;
    };
  }

  /// Whether the form is for machines: no prompts, errors as JSON.
  public boolean isJson() {
    return kind == Kind.JSON || kind == Kind.JSONL;
  }
}
