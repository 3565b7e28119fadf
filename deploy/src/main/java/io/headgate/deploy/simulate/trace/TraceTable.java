package io.headgate.deploy.simulate.trace;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// The lines of a CSV file without quotes, accessed by the names of its columns.
public final class TraceTable {
  /// One line.
  public final class Row {
    private final int line;
    private final String[] cells;

    private Row(int line, String[] cells) {
      this.line = line;
      this.cells = cells;
    }

    /// The text of a column.
    ///
    /// @throws IllegalArgumentException when the table has no such column
    public String text(String column) {
      Integer place = columns.get(column);
      if (place == null) {
        throw new IllegalArgumentException("no column " + column);
      }
      return cells[place];
    }

    /// The text of a column; empty when the trace has no such column.
    public String textIfPresent(String column) {
      return columns.containsKey(column) ? text(column) : "";
    }

    /// The whole number in a column.
    ///
    /// @throws TraceException when it is no whole number, or out of bounds
    public long number(String column, long least, long most) throws TraceException {
      String text = text(column);
      long value;
      try {
        value = Long.parseLong(text);
      } catch (NumberFormatException e) {
        throw refusal(column, "a whole number");
      }
      if (value < least || value > most) {
        throw refusal(column, "between " + least + " and " + most);
      }
      return value;
    }

    /// An exception for a row that cannot be used because of a column.
    ///
    /// @param expected the valid values
    public TraceException refusal(String column, String expected) {
      return new TraceException(
          "line %d: %s is \"%s\"; it must be %s".formatted(line, column, text(column), expected));
    }
  }

  /// A larger trace would take too long to play.
  private static final int MOST_ROWS = 1_000_000;

  private final Map<String, Integer> columns = new HashMap<>();
  private final List<String> lines;

  /// Checks the names of the columns, and the number of rows.
  ///
  /// @param lines the first has the names of the columns; empty ones at the end do not count
  /// @param required columns that must exist
  /// @throws TraceException when a required column is missing, or there are too many rows
  public TraceTable(List<String> lines, String... required) throws TraceException {
    int used = lines.size();
    while (used > 0 && lines.get(used - 1).isBlank()) {
      used--;
    }
    this.lines = lines.subList(0, used);
    if (used == 0) {
      throw new TraceException("line 1: nothing there; it must name the columns");
    }
    if (used - 1 > MOST_ROWS) {
      throw new TraceException(
          "line %d: a trace has at most %d rows".formatted(MOST_ROWS + 2, MOST_ROWS));
    }
    String[] names = lines.getFirst().split(",", -1);
    for (int i = 0; i < names.length; i++) {
      columns.put(names[i].strip(), i);
    }
    for (String column : required) {
      if (!columns.containsKey(column)) {
        throw new TraceException(
            "line 1: no column %s; the columns %s are needed"
                .formatted(column, String.join(", ", required)));
      }
    }
  }

  /// How many rows there are.
  public int size() {
    return lines.size() - 1;
  }

  /// One row.
  ///
  /// @param index from 0, without the line of names
  /// @throws TraceException when the row has too many fields, or too few
  public Row row(int index) throws TraceException {
    int line = index + 2;
    String[] cells = lines.get(index + 1).split(",", -1);
    if (cells.length != columns.size()) {
      throw new TraceException(
          "line %d: %d fields; there must be %d".formatted(line, cells.length, columns.size()));
    }
    for (int i = 0; i < cells.length; i++) {
      cells[i] = cells[i].strip();
    }
    return new Row(line, cells);
  }

  /// Refuses a name that occurred in an earlier row.
  public static void checkNew(Set<String> names, Row row, String column) throws TraceException {
    if (!names.add(row.text(column))) {
      throw row.refusal(column, "a name that no other line has");
    }
  }

  /// An empty set for [#checkNew].
  public static Set<String> names() {
    return new HashSet<>();
  }
}
