package io.headgate.scheduler.runtime.desk;

import io.headgate.kit.position.WatchPosition;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.runtime.record.Batch.CatalogChange;
import io.headgate.scheduler.runtime.record.CatalogEntry;
import io.headgate.scheduler.runtime.record.LoadedState;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// The stored part of the watched sources. While half of a tenant's change waits for its sibling,
/// the tenant's entries are kept back, and the stored position stays before them. So a new leader
/// finds the halves that were in force, and its watches bring it the waiting half again. The
/// entries of each tenant are stored in the turn that takes them. Confined to the loop.
final class CatalogJournal {
  private static final String TENANT = "tenants/";

  private final Map<String, Source> sources = new LinkedHashMap<>();

  /// One watched source.
  private static final class Source {
    private WatchPosition storedPosition;
    private WatchPosition position;

    /// Whether the news replace all that is stored.
    private boolean isSnapshot;

    private final Set<String> storedKeys = new HashSet<>();

    /// The news that are not stored yet, by key; empty: removed.
    private final Map<String, Optional<CatalogEntry>> news = new LinkedHashMap<>();

    private Source(LoadedState.Catalog stored) {
      storedPosition = stored.position();
      position = stored.position();
      stored.entries().forEach(entry -> storedKeys.add(entry.key()));
    }

    private void add(CatalogChange change) {
      position = change.position();
      if (change.snapshot()) {
        isSnapshot = true;
        // Also said as removals, so that a part of it can be stored.
        news.clear();
        storedKeys.forEach(key -> news.put(key, Optional.empty()));
      }
      change.removedKeys().forEach(key -> news.put(key, Optional.empty()));
      change.entries().forEach(entry -> news.put(entry.key(), Optional.of(entry)));
    }

    private Optional<CatalogChange> release(Set<TenantId> waiting) {
      List<CatalogEntry> entries = new ArrayList<>();
      List<String> removed = new ArrayList<>();
      Iterator<Map.Entry<String, Optional<CatalogEntry>>> each = news.entrySet().iterator();
      while (each.hasNext()) {
        Map.Entry<String, Optional<CatalogEntry>> one = each.next();
        if (!isOf(waiting, one.getKey())) {
          one.getValue().ifPresentOrElse(entries::add, () -> removed.add(one.getKey()));
          each.remove();
        }
      }
      boolean isAll = news.isEmpty() && (isSnapshot || !storedPosition.equals(position));
      if (entries.isEmpty() && removed.isEmpty() && !isAll) {
        return Optional.empty();
      }
      boolean replacesAll = isAll && isSnapshot;
      isSnapshot = false;
      if (isAll) {
        storedPosition = position;
      }
      removed.forEach(storedKeys::remove);
      entries.forEach(entry -> storedKeys.add(entry.key()));
      return Optional.of(
          new CatalogChange(
              storedPosition, replacesAll, entries, replacesAll ? List.of() : removed));
    }
  }

  /// @param stored of each source
  CatalogJournal(Map<String, LoadedState.Catalog> stored) {
    stored.forEach((name, catalog) -> sources.put(name, new Source(catalog)));
  }

  /// Takes a step of a source.
  void add(String source, CatalogChange change) {
    sources.computeIfAbsent(source, _ -> new Source(LoadedState.Catalog.NONE)).add(change);
  }

  /// The part of the news that is stored now, by source.
  ///
  /// @param waiting tenants of which half of a change waits
  Map<String, CatalogChange> release(Set<TenantId> waiting) {
    Map<String, CatalogChange> released = new LinkedHashMap<>();
    sources.forEach(
        (name, source) -> source.release(waiting).ifPresent(change -> released.put(name, change)));
    return released;
  }

  /// Whether the entry describes the tenant's configuration; its nodes are no part of a change.
  private static boolean isOf(Set<TenantId> tenants, String key) {
    if (tenants.isEmpty() || !key.startsWith(TENANT)) {
      return false;
    }
    String[] parts = key.split("/", 4);
    return parts.length <= 3 && tenants.contains(new TenantId(parts[1]));
  }
}
