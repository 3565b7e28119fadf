package io.headgate.sdk.model;

import java.util.List;

/// One page of a list.
///
/// @param nextPageToken empty: this was the last
public record Page<T>(List<T> items, String nextPageToken) {
  public Page {
    items = List.copyOf(items);
  }
}
