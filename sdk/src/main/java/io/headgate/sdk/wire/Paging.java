package io.headgate.sdk.wire;

import java.util.ArrayList;
import java.util.List;

/// Collects pages.
public final class Paging {
  /// The most that a server gives at once.
  public static final int LARGEST_PAGE = 1000;

  private Paging() {}

  /// A collected list.
  ///
  /// @param nextPageToken empty: that was all
  public record Collected<T>(List<T> items, String nextPageToken) {}

  /// One page as a service gives it.
  public record Fetched<T>(List<T> items, String nextPageToken) {}

  /// Asks a service for one page.
  @FunctionalInterface
  public interface Fetch<T> {
    Fetched<T> page(int pageSize, String pageToken);
  }

  /// Fetches page after page.
  ///
  /// @param limit at most this many items; 0: all
  public static <T> Collected<T> collect(long limit, Fetch<T> fetch) {
    List<T> items = new ArrayList<>();
    String token = "";
    do {
      long wanted = limit == 0 ? LARGEST_PAGE : Math.min(LARGEST_PAGE, limit - items.size());
      Fetched<T> page = fetch.page((int) wanted, token);
      items.addAll(page.items());
      token = page.nextPageToken();
    } while (!token.isEmpty() && (limit == 0 || items.size() < limit));
    return new Collected<>(items, token);
  }
}
