package io.headgate.sdk.cli.output;

import org.jspecify.annotations.Nullable;

/// The form, order, length and filter of a printed list.
///
/// @param sort `FIELD` or `FIELD:desc`; null: the order of the server
/// @param limit most rows; 0: all
/// @param filter `state=WAITING policy!=rnd`; null: all
public record ListOptions(
    OutputForm form, boolean headers, @Nullable String sort, long limit, @Nullable String filter) {
  /// Default limit of rows on a terminal.
  public static final int TERMINAL_LIMIT = 100;
}
