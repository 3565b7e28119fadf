package io.headgate.scheduler.runtime.catalog;

import io.headgate.kit.position.WatchPosition;
import io.headgate.kit.time.TimeSource;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.runtime.record.CatalogEntry;
import io.headgate.scheduler.runtime.record.Document;
import io.headgate.scheduler.runtime.record.JobReader;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/// The rights as the leader stored them last, for the reads that a replica answers while it does
/// not lead. At most [#AGE] old, and as old as the leader's last commit. Thread-safe.
public final class StoredRights {
  /// Reads of one tenant within this time share a look at the database.
  private static final Duration AGE = Duration.ofSeconds(1);

  private final CatalogSource rights;
  private final JobReader reader;
  private final TimeSource time;
  private final Map<TenantId, Look> looks = new ConcurrentHashMap<>();

  private record Look(long nanos, Optional<Document> document, CatalogView view) {}

  /// @param rights the source that reads [CatalogSource#ACCESS]
  public StoredRights(CatalogSource rights, JobReader reader, TimeSource time) {
    this.rights = rights;
    this.reader = reader;
    this.time = time;
  }

  /// The tenant's rights, without its hardware. May block for one read.
  public CatalogView view(TenantId tenant) {
    Look known = looks.get(tenant);
    long now = time.monotonicNanos();
    if (known != null && now - known.nanos() < AGE.toNanos()) {
      return known.view();
    }
    Optional<Document> document = reader.catalogEntry(CatalogSource.ACCESS, tenant);
    CatalogView view =
        known != null && known.document().equals(document)
            ? known.view()
            : document.map(each -> decode(tenant, each)).orElse(CatalogView.EMPTY);
    looks.put(tenant, new Look(now, document, view));
    return view;
  }

  private CatalogView decode(TenantId tenant, Document document) {
    CatalogUpdate update =
        rights.decode(
            WatchPosition.START, List.of(new CatalogEntry("tenants/" + tenant.name(), document)));
    Map<TenantId, Access> accesses = new TreeMap<>();
    if (update instanceof CatalogUpdate.OfAccess access) {
      access.accesses().forEach(each -> accesses.put(each.tenant(), each));
    }
    return new CatalogView(Map.of(), accesses, Budgets.NONE);
  }
}
