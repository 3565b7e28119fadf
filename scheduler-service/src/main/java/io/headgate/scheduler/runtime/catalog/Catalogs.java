package io.headgate.scheduler.runtime.catalog;

import io.headgate.scheduler.core.catalog.Catalog;
import io.headgate.scheduler.core.catalog.Policy;
import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.Pool;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.runtime.catalog.Supply.Owner;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// Joins the parts of a tenant's catalog from two services into the core's catalog. Either half may
/// be ahead of the other: names that lead nowhere are the core's to explain. Confined to the loop.
public final class Catalogs {
  private final Map<TenantId, Supply> supplies = new TreeMap<>();
  private final Map<TenantId, Access> accesses = new TreeMap<>();

  /// Takes a step of a watch.
  ///
  /// @return tenants whose catalog is another now
  public SortedSet<TenantId> apply(CatalogUpdate update) {
    SortedSet<TenantId> affected = new TreeSet<>();
    switch (update) {
      case CatalogUpdate.OfSupply supply -> {
        forget(supplies, update, supply.removedTenants(), affected);
        for (Supply each : supply.supplies()) {
          supplies.put(each.tenant(), each);
          affected.add(each.tenant());
        }
      }
      case CatalogUpdate.OfAccess access -> {
        forget(accesses, update, access.removedTenants(), affected);
        for (Access each : access.accesses()) {
          accesses.put(each.tenant(), each);
          affected.add(each.tenant());
        }
      }
    }
    return affected;
  }

  /// The tenants whose rights are known.
  public Set<TenantId> tenants() {
    return accesses.keySet();
  }

  public CatalogView view() {
    return new CatalogView(supplies, accesses);
  }

  public Catalog merged(TenantId tenant) {
    return merged(tenant, supplies.get(tenant), accesses.get(tenant));
  }

  /// Joins the tenant's data of two services; null: that service has none for the tenant.
  public static Catalog merged(TenantId tenant, @Nullable Supply supply, @Nullable Access access) {
    return new Catalog(
        tenant,
        (supply == null ? 0 : supply.version()) + (access == null ? 0 : access.version()),
        supply == null
            ? List.of()
            : supply.pools().stream()
                .map(pool -> owned(pool, Optional.ofNullable(access)))
                .toList(),
        supply == null ? List.of() : supply.profiles(),
        access == null ? List.of() : access.policies().stream().map(Access.Rights::policy).toList(),
        access == null ? List.of() : access.queues());
  }

  private static <T> void forget(
      Map<TenantId, T> known,
      CatalogUpdate update,
      List<TenantId> removed,
      SortedSet<TenantId> affected) {
    if (update.durable().snapshot()) {
      affected.addAll(known.keySet());
      known.clear();
    }
    for (TenantId tenant : removed) {
      if (known.remove(tenant) != null) {
        affected.add(tenant);
      }
    }
  }

  /// A pool of a group belongs to that group's policy; of several, to the first by name, because a
  /// dedicated pool must never be open to anybody else.
  private static Pool owned(Supply.OfferedPool offered, Optional<Access> access) {
    Pool pool = offered.pool();
    Optional<PolicyId> owner =
        offered
            .dedicatedTo()
            .map(dedication ->
                switch (dedication) {
                  case Owner.OfPolicy(String policy) -> new PolicyId(pool.id().tenant(), policy);
                  case Owner.OfGroup(String group) ->
                      access.stream()
                          .flatMap(each -> each.policies().stream())
                          .filter(rights -> rights.group().equals(group))
                          .map(Access.Rights::policy)
                          .map(Policy::id)
                          .sorted()
                          .findFirst()
                          // No policy has an empty name, so the pool stays closed.
                          .orElse(new PolicyId(pool.id().tenant(), ""));
                });
    return pool.with().dedicatedTo(owner).build();
  }
}
