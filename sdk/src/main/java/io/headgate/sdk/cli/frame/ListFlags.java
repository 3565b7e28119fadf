package io.headgate.sdk.cli.frame;

import io.headgate.sdk.cli.output.ListOptions;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// Flags that every list understands.
public final class ListFlags {
  @Option(names = "--no-headers", description = "No line of column names.")
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
      description = "Rows that match, for example 'state=WAITING policy!=rnd'.")
  public @Nullable String filter;

  @Option(
      names = {"-w", "--watch"},
      description = "Follow changes: a terminal is redrawn, a pipe gets a line of JSON a change.")
  public boolean watch;

  /// As the printing of lists wants them.
  public ListOptions options(Invocation invocation) {
    long rows =
        limit != null ? limit : invocation.output().terminal() ? ListOptions.TERMINAL_LIMIT : 0;
    return new ListOptions(invocation.form(), !noHeaders, sort, rows, filter);
  }
}
