package io.headgate.pool.grpc;

import io.headgate.kit.grpc.PageTokens;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/// Cuts lists into pages.
final class Pages {
  private final PageTokens tokens;

  Pages(PageTokens tokens) {
    this.tokens = tokens;
  }

  /// One page, and the token of the next; an empty token: this was the last.
  record Page<T>(List<T> items, String nextToken) {}

  /// Which page is asked for.
  ///
  /// @param query everything that decides what is in the list
  record Request(List<String> query, int size, String token) {}

  /// Reads what follows a position.
  @FunctionalInterface
  interface Source<T> {
    /// At most `limit` items after `position`, or the first ones.
    List<T> read(Optional<String> position, int limit);
  }

  /// @param position of an item
  <T> Page<T> read(Request request, Source<T> source, Function<T, String> position) {
    int size = PageTokens.size(request.size());
    Optional<String> after = tokens.read(request.query(), request.token());
    // One more than asked for tells whether there is a next page.
    List<T> items = source.read(after, size + 1);
    if (items.size() <= size) {
      return new Page<>(items, "");
    }
    List<T> page = items.subList(0, size);
    return new Page<>(page, tokens.issue(request.query(), position.apply(page.getLast())));
  }

  /// A page of a list that is at hand, in the order of its positions.
  <T> Page<T> cut(Request request, List<T> all, Function<T, String> position) {
    return read(
        request,
        (after, limit) ->
            all.stream()
                .filter(item -> after.isEmpty() || position.apply(item).compareTo(after.get()) > 0)
                .limit(limit)
                .toList(),
        position);
  }
}
