package io.headgate.sdk.cli.command.shared;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/// Indexes items by id, to join objects with their use.
public final class ItemsById {
  private ItemsById() {}

  public static <T> Map<String, T> byId(List<T> items, Function<T, String> id) {
    Map<String, T> map = new HashMap<>();
    items.forEach(item -> map.put(id.apply(item), item));
    return map;
  }
}
