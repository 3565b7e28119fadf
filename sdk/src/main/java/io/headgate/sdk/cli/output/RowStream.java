package io.headgate.sdk.cli.output;

import java.util.List;

/// Prints changed rows of a watch, one line each.
public final class RowStream<T> {
  private final Listing<T> listing;
  private final ListOptions options;
  private final Output output;
  private long printed;

  /// Creates a stream that has printed nothing yet.
  ///
  /// @param options its limit counts lines; 0: no limit
  public RowStream(Listing<T> listing, ListOptions options, Output output) {
    this.listing = listing;
    this.options = options;
    this.output = output;
    switch (options.form().kind()) {
      case TABLE, JSON, JSONL, NAME, CSV -> {}
      case WIDE, YAML, COLUMNS ->
          throw new UsageException(
              "--watch cannot print " + options.form().word(),
              "BAD_OUTPUT_FORM",
              "-o jsonl, csv or name; on a terminal also table, wide and columns=A,B");
    }
  }

  /// Prints the selected rows.
  ///
  /// @return false when the limit is reached
  public boolean print(List<Row<T>> rows) {
    for (Row<T> row : listing.select(rows, options)) {
      if (isFull()) {
        break;
      }
      switch (options.form().kind()) {
        case NAME, CSV -> listing.print(List.of(row), "", alone(), output);
        default -> output.line(row.jsonLine());
      }
      printed++;
    }
    return !isFull();
  }

  private boolean isFull() {
    return options.limit() > 0 && printed >= options.limit();
  }

  /// Prints one row, after the names of the columns if it is the first.
  private ListOptions alone() {
    return new ListOptions(options.form(), options.headers() && printed == 0, null, 0, null);
  }
}
