package io.headgate.policy.grpc;

import io.headgate.kit.grpc.PageTokens;
import io.headgate.policy.core.name.TenantId;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;

/// Cuts lists into pages by the position of their last item.
final class Pages {
  private final PageTokens tokens;

  Pages(PageTokens tokens) {
    this.tokens = tokens;
  }

  /// One page.
  ///
  /// @param next token of the page after; empty if this is the last
  record Page<T>(List<T> items, String next) {}

  /// Which page of what.
  ///
  /// @param scope what is listed of: the tenant, or nothing for everything
  record Query(String list, String scope, int size, String token) {
    static Query of(String list, TenantId tenant, int size, String token) {
      return new Query(list, tenant.value(), size, token);
    }
  }

  /// A page of a list that reads what follows a position, at most so many items.
  <T, P> Page<T> of(
      Query query,
      Function<String, P> toPosition,
      Function<T, String> position,
      BiFunction<Optional<P>, Integer, List<T>> read) {
    int size = PageTokens.size(query.size());
    List<String> key = List.of(query.list(), query.scope());
    Optional<P> after = tokens.read(key, query.token()).map(toPosition);
    // One more than asked for tells whether there is a next page.
    List<T> found = read.apply(after, size + 1);
    if (found.size() <= size) {
      return new Page<>(found, "");
    }
    List<T> items = found.subList(0, size);
    return new Page<>(items, tokens.issue(key, position.apply(items.getLast())));
  }
}
