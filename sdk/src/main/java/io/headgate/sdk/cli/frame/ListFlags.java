package io.headgate.sdk.cli.frame;

import io.headgate.sdk.cli.output.ListOptions;
import io.headgate.sdk.cli.output.Listing;
import io.headgate.sdk.cli.output.RowStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// Flags that every list understands.
public final class ListFlags {
  @Option(names = "--no-headers", description = "Leave out the line of column names.")
  public boolean noHeaders;

  @Option(names = "--sort", paramLabel = "FIELD[:desc]", description = "Sort by a column.")
  public @Nullable String sort;

  @Option(
      names = "--limit",
      paramLabel = "N",
      description = "At most N rows; 0 for all (default: 100 on a terminal, else all).")
  public @Nullable Long limit;

  @Option(
      names = "--filter",
      paramLabel = "TERMS",
      description = "Only rows that match, such as 'state=WAITING policy!=rnd'.")
  public @Nullable String filter;

  @Option(
      names = {"-w", "--watch"},
      description =
          "Follow changes. A terminal shows a table that is redrawn; otherwise each change is a line"
              + " of JSON (or of -o csv, name). --limit N ends after N changes.")
  public boolean watch;

  /// A stream of changed rows; null: the output is a table on a terminal, which is redrawn.
  public <T> @Nullable RowStream<T> stream(Listing<T> listing, Invocation invocation) {
    if (invocation.output().terminal() && invocation.form().isTable()) {
      return null;
    }
    // A watch has no limit unless the user sets one.
    long lines = limit == null ? 0 : limit;
    return new RowStream<>(
        listing,
        new ListOptions(invocation.form(), !noHeaders, sort, lines, filter),
        invocation.output());
  }

  /// The options of the list.
  public ListOptions options(Invocation invocation) {
    long rows =
        limit != null ? limit : invocation.output().terminal() ? ListOptions.TERMINAL_LIMIT : 0;
    return new ListOptions(invocation.form(), !noHeaders, sort, rows, filter);
  }
}
