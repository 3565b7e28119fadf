package io.headgate.sdk.wire;

import java.util.ArrayList;
import java.util.List;

/// Collects the pages of a list.
public final class Paging {
  /// The largest page that a server returns.
  public static final int LARGEST_PAGE = 1000;

  private Paging() {}

  /// A collected list.
  ///
  /// @param nextPageToken empty: the list is complete
  public record Collected<T>(List<T> items, String nextPageToken) {}

  /// One page of a service.
  public record Fetched<T>(List<T> items, String nextPageToken) {}

  /// Fetches one page from a service.
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
