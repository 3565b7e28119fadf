package io.headgate.sdk.cli.output;

import java.util.ArrayList;
import java.util.List;

/// Aligns rows of texts in columns, two spaces apart.
public final class AlignedText {
  private AlignedText() {}

  public static List<String> lines(List<List<String>> rows) {
    int columns = rows.stream().mapToInt(List::size).max().orElse(0);
    int[] widths = new int[columns];
    for (List<String> row : rows) {
      for (int i = 0; i < row.size(); i++) {
        widths[i] = Math.max(widths[i], CellWidth.of(PrintableText.line(row.get(i))));
      }
    }
    List<String> lines = new ArrayList<>();
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < row.size(); i++) {
        line.append(i == 0 ? "" : "  ")
            .append(CellWidth.pad(PrintableText.line(row.get(i)), widths[i]));
      }
      lines.add(line.toString().stripTrailing());
    }
    return lines;
  }
}
