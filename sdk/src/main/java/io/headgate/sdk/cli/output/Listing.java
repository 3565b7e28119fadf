package io.headgate.sdk.cli.output;

import io.headgate.type.NearestName;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/// A kind of list: its columns, and how every output form prints it.
///
/// @param noun plural for people
/// @param plurals names of its JSON lists
/// @param name value that `-o name` prints for a row
public record Listing<T>(
    String noun, List<String> plurals, Function<T, String> name, List<Column<T>> columns) {
  private static final Pattern SPACES = Pattern.compile("\\s+");

  public Listing {
    plurals = List.copyOf(plurals);
    columns = List.copyOf(columns);
  }

  /// Filters and sorts rows.
  public List<Row<T>> select(List<Row<T>> rows, ListOptions options) {
    List<Row<T>> selected = new ArrayList<>(rows);
    if (options.filter() != null) {
      Predicate<T> filter = filter(options.filter());
      selected.removeIf(row -> !filter.test(row.value()));
    }
    if (options.sort() != null) {
      selected.sort(order(options.sort()));
    }
    return selected;
  }

  /// Prints rows.
  ///
  /// @param nextPageToken of the last page read; empty: there is no more
  public void print(
      List<Row<T>> selected, String nextPageToken, ListOptions options, Output output) {
    List<Row<T>> rows =
        options.limit() > 0 && selected.size() > options.limit()
            ? selected.subList(0, (int) options.limit())
            : selected;
    OutputForm form = options.form();
    switch (form.kind()) {
      case JSON -> output.line(json(rows, nextPageToken));
      case JSONL -> rows.forEach(row -> output.line(row.jsonLine()));
      case YAML -> output.text(YamlOfJson.of(json(rows, nextPageToken)));
      case CSV -> csv(rows, options, output);
      case NAME -> rows.forEach(row -> output.line(name.apply(row.value())));
      case TABLE ->
          table(rows, columns.stream().filter(column -> !column.wide()).toList(), options, output);
      case WIDE -> table(rows, staying(columns), options, output);
      case COLUMNS -> namedColumns(rows, options, output);
    }
    if (rows.size() < selected.size()) {
      output.note(
          "%s %,d more, --limit 0 for all"
              .formatted(output.symbols().ellipsis(), selected.size() - rows.size()));
    }
  }

  /// Prints one row, with one field on each line.
  public void printOne(Row<T> row, OutputForm form, Output output) {
    switch (form.kind()) {
      case JSON -> output.line(row.json());
      case JSONL -> output.line(row.jsonLine());
      case YAML -> output.text(YamlOfJson.of(row.json()));
      case NAME -> output.line(name.apply(row.value()));
      case CSV, COLUMNS ->
          print(List.of(row), "", new ListOptions(form, true, null, 0, null), output);
      case TABLE, WIDE -> {
        int width = columns.stream().mapToInt(column -> column.name().length()).max().orElse(0);
        for (Column<T> column : columns) {
          Cell cell = column.cell().apply(row.value());
          output.line(
              output.dim(CellWidth.pad(column.name().toLowerCase(Locale.ROOT), width))
                  + "  "
                  + output.paint().paint(cell.style(), cell.text()));
        }
      }
    }
  }

  /// Columns that the user asked for stay, however narrow the terminal is.
  private static <T> List<Column<T>> staying(List<Column<T>> columns) {
    return columns.stream().map(column -> column.leaving(0)).toList();
  }

  private void table(List<Row<T>> rows, List<Column<T>> shown, ListOptions options, Output output) {
    if (rows.isEmpty()) {
      output.note("No " + noun + ".");
      return;
    }
    List<T> values = rows.stream().map(Row::value).toList();
    int width = output.terminal() ? output.width().getAsInt() : 0;
    new Table<>(shown, output.paint(), output.symbols())
        .lines(values, options.headers(), width)
        .forEach(output::line);
  }

  private void csv(List<Row<T>> rows, ListOptions options, Output output) {
    if (options.headers()) {
      output.line(CsvText.line(columns.stream().map(Column::key).toList()));
    }
    for (Row<T> row : rows) {
      output.line(
          CsvText.line(
              columns.stream()
                  .map(column -> PrintableText.line(column.plain().apply(row.value())))
                  .toList()));
    }
  }

  private void namedColumns(List<Row<T>> rows, ListOptions options, Output output) {
    if (options.form().columns().equals(List.of("help"))) {
      columns.forEach(column -> output.line(column.key()));
      return;
    }
    List<Column<T>> chosen = options.form().columns().stream().map(this::column).toList();
    table(rows, staying(chosen), options, output);
  }

  private String json(List<Row<T>> rows, String nextPageToken) {
    StringBuilder json = new StringBuilder("{\n");
    for (String plural : plurals) {
      List<String> messages = new ArrayList<>();
      for (Row<T> row : rows) {
        for (RowMessage part : row.parts()) {
          if (part.plural().equals(plural)) {
            messages.add("    " + JsonText.indent(JsonText.pretty(part.message()), 4));
          }
        }
      }
      json.append("  \"").append(plural).append("\": [");
      if (!messages.isEmpty()) {
        json.append('\n').append(String.join(",\n", messages)).append("\n  ");
      }
      json.append("],\n");
    }
    return json.append("  \"nextPageToken\": ")
        .append(JsonText.of(nextPageToken))
        .append("\n}")
        .toString();
  }

  private Column<T> column(String text) {
    String key = text.strip().toLowerCase(Locale.ROOT);
    List<String> keys = columns.stream().map(Column::key).toList();
    for (Column<T> column : columns) {
      if (column.key().equals(key)) {
        return column;
      }
    }
    String next = NearestName.suggestion(key, keys).orElse("columns: " + String.join(", ", keys));
    throw new UsageException(
        "\"" + text + "\" is not a column of " + noun, "COLUMN_NOT_FOUND", next);
  }

  private Comparator<Row<T>> order(String sort) {
    boolean descending = sort.endsWith(":desc");
    int colon = sort.indexOf(':');
    Column<T> column = column(colon < 0 ? sort : sort.substring(0, colon));
    Comparator<Row<T>> order = Comparator.comparing(Row::value, column.order());
    return descending ? order.reversed() : order;
  }

  private Predicate<T> filter(String text) {
    Predicate<T> all = _ -> true;
    for (String term : SPACES.split(text.strip(), -1)) {
      int equals = term.indexOf('=');
      if (equals < 1) {
        throw new UsageException(
            "\"" + term + "\" is not a filter", "BAD_FILTER", "write for example state=WAITING");
      }
      boolean negated = term.charAt(equals - 1) == '!';
      Column<T> column = column(term.substring(0, negated ? equals - 1 : equals));
      String wanted = term.substring(equals + 1);
      all = all.and(row -> column.plain().apply(row).equalsIgnoreCase(wanted) != negated);
    }
    return all;
  }
}
