package io.headgate.scheduler.runtime.desk;

import io.headgate.kit.position.WatchPosition;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.runtime.record.Batch.CatalogChange;
import io.headgate.scheduler.runtime.record.CatalogEntry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// The stored part of the watched sources. While half of a tenant's change waits for its sibling,
/// the tenant's entries are kept back, and the stored position stays before them. So a new leader
/// finds the halves that were in force, and its watches bring it the waiting half again. Confined
/// to the loop.
final class CatalogJournal {
  private static final String TENANT = "tenants/";

  private final Map<String, WatchPosition> stored;
  private final Map<String, Kept> kept = new HashMap<>();

  /// The news of a source that are not stored yet.
  private static final class Kept {
    private WatchPosition position = WatchPosition.START;
    private boolean isSnapshot;

    /// By key; empty: removed.
    private final Map<String, Optional<CatalogEntry>> entries = new LinkedHashMap<>();

    void add(CatalogChange news) {
      position = news.position();
      if (news.snapshot()) {
        isSnapshot = true;
        entries.clear();
      }
      news.removedKeys().forEach(key -> entries.put(key, Optional.empty()));
      news.entries().forEach(entry -> entries.put(entry.key(), Optional.of(entry)));
    }

    CatalogChange change() {
      return new CatalogChange(
          position,
          isSnapshot,
          entries.values().stream().flatMap(Optional::stream).toList(),
          entries.entrySet().stream()
              .filter(entry -> entry.getValue().isEmpty())
              .map(Map.Entry::getKey)
              .toList());
    }
  }

  /// @param stored the position of each source
  CatalogJournal(Map<String, WatchPosition> stored) {
    this.stored = new HashMap<>(stored);
  }

  /// The part of the news that is stored now.
  ///
  /// @param waiting tenants of which half of a change waits
  Optional<CatalogChange> add(String source, CatalogChange news, Set<TenantId> waiting) {
    if (waiting.isEmpty()) {
      if (!kept.containsKey(source)) {
        stored.put(source, news.position());
        return Optional.of(news);
      }
      // It is released with the rest.
      kept.computeIfAbsent(source, _ -> new Kept()).add(news);
      return Optional.empty();
    }
    Kept back = kept.computeIfAbsent(source, _ -> new Kept());
    if (news.snapshot() || back.isSnapshot) {
      // A snapshot replaces all that is stored, so it is stored whole or not at all.
      back.add(news);
      return Optional.empty();
    }
    List<CatalogEntry> entries = new ArrayList<>();
    List<CatalogEntry> entriesBack = new ArrayList<>();
    for (CatalogEntry entry : news.entries()) {
      (isOf(waiting, entry.key()) ? entriesBack : entries).add(entry);
    }
    List<String> removed = new ArrayList<>();
    List<String> removedBack = new ArrayList<>();
    for (String key : news.removedKeys()) {
      (isOf(waiting, key) ? removedBack : removed).add(key);
    }
    back.add(new CatalogChange(news.position(), false, entriesBack, removedBack));
    return entries.isEmpty() && removed.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new CatalogChange(
                stored.getOrDefault(source, WatchPosition.START), false, entries, removed));
  }

  /// The news that were kept back, by source; call it when no half waits.
  Map<String, CatalogChange> release() {
    Map<String, CatalogChange> released = new LinkedHashMap<>();
    kept.forEach((source, back) -> {
      CatalogChange change = back.change();
      released.put(source, change);
      stored.put(source, change.position());
    });
    kept.clear();
    return released;
  }

  /// Whether the entry describes the tenant's configuration; its nodes are no part of a change.
  private static boolean isOf(Set<TenantId> tenants, String key) {
    String[] parts = key.split("/", 4);
    return key.startsWith(TENANT) && parts.length <= 3 && tenants.contains(new TenantId(parts[1]));
  }
}
