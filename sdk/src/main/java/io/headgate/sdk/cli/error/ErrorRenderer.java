package io.headgate.sdk.cli.error;

import io.headgate.sdk.cli.error.ErrorFrame.Snippet;
import io.headgate.sdk.cli.output.CellWidth;
import io.headgate.sdk.cli.output.JsonText;
import io.headgate.sdk.cli.output.PrintableText;
import io.headgate.sdk.cli.output.Style;
import io.headgate.sdk.cli.output.TextColors;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// Prints error frames as text or as JSON.
///
/// @param width of the terminal; 0: there is none
public record ErrorRenderer(TextColors paint, int width) {
  /// Column of the reasons where there is room, so that they align.
  private static final int REASON_COLUMN = 76;

  /// Longer lines are cut around the mark, because a file may be one line of megabytes.
  private static final int SNIPPET_CELLS = 100;

  private static final int SNIPPET_BEFORE = 60;

  /// All errors with a blank line between them, then the trailer.
  public List<String> lines(CliFailure failure) {
    List<String> lines = new ArrayList<>();
    for (ErrorFrame frame : failure.frames()) {
      if (!lines.isEmpty()) {
        lines.add("");
      }
      lines.addAll(lines(frame));
    }
    if (failure.trailer() != null) {
      lines.add(failure.trailer());
    }
    return lines;
  }

  public List<String> lines(ErrorFrame frame) {
    List<String> lines = new ArrayList<>();
    lines.add(head(frame));
    for (String place : frame.where()) {
      lines.add("  " + PrintableText.line(place));
    }
    if (frame.snippet() != null) {
      snippet(frame.snippet(), lines);
    }
    if (frame.why() != null) {
      lines.add("  why: " + PrintableText.line(frame.why()));
    }
    for (String next : frame.next()) {
      lines.add("  " + PrintableText.line(next));
    }
    return lines;
  }

  private String head(ErrorFrame frame) {
    String message = PrintableText.line(frame.message());
    int column = REASON_COLUMN;
    if (width > 0) {
      column = Math.min(column, width - frame.reason().length());
    }
    String text = "error: " + message;
    int gap = Math.max(2, column - CellWidth.of(text));
    return paint.paint(Style.ERROR, "error:")
        + " "
        + paint.paint(Style.BOLD, message)
        + " ".repeat(gap)
        + paint.paint(Style.DIM, frame.reason());
  }

  private void snippet(Snippet snippet, List<String> lines) {
    String number = String.valueOf(snippet.line());
    String gutter = " ".repeat(number.length() + 1) + "|";
    String source = PrintableText.line(snippet.text());
    int before =
        CellWidth.of(
            source.substring(
                0,
                source.offsetByCodePoints(
                    0, Math.min(snippet.column() - 1, source.codePointCount(0, source.length())))));
    if (CellWidth.of(source) > SNIPPET_CELLS) {
      int hidden = Math.max(0, Math.min(before, source.length()) - SNIPPET_BEFORE);
      source = CellWidth.truncate(source.substring(hidden), SNIPPET_CELLS, "...");
      before -= hidden;
    }
    int marked = Math.max(1, Math.min(snippet.length(), CellWidth.of(source) - before));
    lines.add(gutter);
    lines.add(number + " | " + source);
    lines.add(
        gutter
            + " "
            + " ".repeat(before)
            + paint.paint(Style.ERROR, "^".repeat(marked))
            + " "
            + PrintableText.line(snippet.note()));
  }

  /// `{"error":{…}}`.
  public static String json(ErrorFrame frame) {
    return JsonText.of(Map.of("error", frame.json()));
  }
}
