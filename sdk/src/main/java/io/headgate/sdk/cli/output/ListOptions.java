package io.headgate.sdk.cli.output;

import org.jspecify.annotations.Nullable;

/// How a list is to be shown.
///
/// @param sort `FIELD` or `FIELD:desc`; null: in the order in which it came
/// @param limit at most this many rows; 0: all
/// @param filter `state=WAITING policy!=rnd`; null: all
public record ListOptions(
    OutputForm form, boolean headers, @Nullable String sort, long limit, @Nullable String filter) {
  /// Rows on a terminal that did not ask for a number.
  public static final int TERMINAL_LIMIT = 100;
}
