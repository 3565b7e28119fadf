package io.headgate.kit.grpc;

import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/// Cuts lists into pages, each of which continues after the position of the last item before it.
/// Thread-safe.
public final class Pages {
  private final PageTokens tokens;

  public Pages(PageTokens tokens) {
    this.tokens = tokens;
  }

  /// One page.
  ///
  /// @param nextToken token of the next page; empty on the last page
  public record Page<T>(List<T> items, String nextToken) {}

  /// A request for one page.
  ///
  /// @param query everything that decides the content of the list: its name, tenant and filters
  /// @param size items per page; 0: the default of {@link PageTokens#size}
  /// @param token of the page; empty: the first page
  public record Request(List<String> query, int size, String token) {}

  /// Reads the items after a position.
  @FunctionalInterface
  public interface Source<T> {
    /// The first items after `position`; absent: the first of the list.
    ///
    /// @param limit of items
    List<T> read(Optional<String> position, int limit);
  }

  /// Reads one page.
  ///
  /// @param position of an item, as `source` takes it
  public <T> Page<T> read(Request request, Source<T> source, Function<T, String> position) {
    int size = PageTokens.size(request.size());
    Optional<String> after = tokens.read(request.query(), request.token());
    // One item more than the page holds shows whether a next page exists.
    List<T> items = source.read(after, size + 1);
    if (items.size() <= size) {
      return new Page<>(items, "");
    }
    List<T> page = items.subList(0, size);
    return new Page<>(page, tokens.issue(request.query(), position.apply(page.getLast())));
  }

  /// Cuts one page from a list in memory that is sorted by position.
  public <T> Page<T> cut(Request request, List<T> all, Function<T, String> position) {
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
