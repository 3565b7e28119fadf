package io.headgate.sdk.cli.output;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/// Rows in columns, aligned by cells, never wrapped. A narrow terminal first shortens the flexible
/// column with an ellipsis. Then it loses less important columns, and at last the line is cut. In a
/// pipe nothing is cut.
public final class Table<T> {
  private static final String GAP = "  ";
  private static final int READABLE = 24;
  private static final int NARROWEST = 8;

  private final List<Column<T>> columns;
  private final TextColors paint;
  private final Symbols symbols;

  public Table(List<Column<T>> columns, TextColors paint, Symbols symbols) {
    this.columns = List.copyOf(columns);
    this.paint = paint;
    this.symbols = symbols;
  }

  /// The lines of the table.
  ///
  /// @param width of the terminal; 0: there is none
  public List<String> lines(List<T> rows, boolean headers, int width) {
    List<Column<T>> shown = new ArrayList<>(columns);
    List<List<Cell>> cells = cells(shown, rows, headers);
    while (width > 0 && least(cells, shown) > width) {
      Optional<Column<T>> leaving =
          shown.stream()
              .filter(column -> column.leaves() > 0)
              .min(Comparator.comparingInt(Column::leaves));
      if (leaving.isEmpty()) {
        break;
      }
      shown.remove(leaving.get());
      cells = cells(shown, rows, headers);
    }
    int[] widths = widths(cells, shown, width);
    return cells.stream().map(line -> line(line, shown, widths, width)).toList();
  }

  private List<List<Cell>> cells(List<Column<T>> shown, List<T> rows, boolean headers) {
    List<List<Cell>> cells = new ArrayList<>();
    if (headers) {
      cells.add(shown.stream().map(column -> Cell.of(Style.HEADING, column.name())).toList());
    }
    for (T row : rows) {
      cells.add(shown.stream().map(column -> column.cell().apply(row)).toList());
    }
    return cells;
  }

  /// The least width at which the flexible column stays readable.
  private int least(List<List<Cell>> cells, List<Column<T>> shown) {
    int[] widths = widths(cells, shown, 0);
    int total = GAP.length() * (widths.length - 1);
    for (int i = 0; i < widths.length; i++) {
      total += shown.get(i).flexible() ? Math.min(READABLE, widths[i]) : widths[i];
    }
    return total;
  }

  private int[] widths(List<List<Cell>> cells, List<Column<T>> shown, int width) {
    int[] widths = new int[shown.size()];
    for (List<Cell> line : cells) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], CellWidth.of(line.get(i).text()));
      }
    }
    int total = GAP.length() * (widths.length - 1);
    for (int one : widths) {
      total += one;
    }
    for (int i = 0; width > 0 && i < widths.length; i++) {
      if (shown.get(i).flexible() && total > width) {
        int less = Math.min(total - width, Math.max(0, widths[i] - NARROWEST));
        widths[i] -= less;
        total -= less;
      }
    }
    return widths;
  }

  private String line(List<Cell> cells, List<Column<T>> shown, int[] widths, int width) {
    StringBuilder line = new StringBuilder();
    int used = 0;
    int last = lastFilled(cells);
    for (int i = 0; i <= last; i++) {
      Cell cell = cells.get(i);
      String gap = i == 0 ? "" : GAP;
      String text = CellWidth.truncate(cell.text(), widths[i], symbols.ellipsis());
      int room = width == 0 ? Integer.MAX_VALUE : width - used - gap.length();
      if (room <= 0) {
        break;
      }
      String fitting = CellWidth.truncate(text, room, symbols.ellipsis());
      int fill = Math.max(0, Math.min(widths[i], room) - CellWidth.of(fitting));
      String painted = paint.paint(cell.style(), fitting);
      line.append(gap);
      if (shown.get(i).right()) {
        line.append(" ".repeat(fill)).append(painted);
      } else {
        line.append(painted).append(i == last ? "" : " ".repeat(fill));
      }
      used += gap.length() + CellWidth.of(fitting) + fill;
    }
    return line.toString().stripTrailing();
  }

  private static int lastFilled(List<Cell> cells) {
    int last = cells.size() - 1;
    while (last > 0 && cells.get(last).text().isEmpty()) {
      last--;
    }
    return last;
  }
}
