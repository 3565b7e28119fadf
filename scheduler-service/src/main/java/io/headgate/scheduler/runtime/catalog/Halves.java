package io.headgate.scheduler.runtime.catalog;

import io.headgate.scheduler.core.catalog.TenantId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// The newest supply and rights of each tenant, as their services told them. A change of both
/// arrives in two halves, in any order. Confined to the loop.
///
/// Example: rights of version 8 name change `c` with supply 13, and the newest supply is 12. The
/// halves belong together once supply 13 or later has come, or if supply is prepared for `c`: the
/// rights with `c` prove that it was committed.
final class Halves {
  private final Map<TenantId, Supply> supplies = new TreeMap<>();
  private final Map<TenantId, Supply> prepared = new TreeMap<>();
  private final Map<TenantId, Access> accesses = new TreeMap<>();

  /// The tenants of a step.
  ///
  /// @param touched whose halves may differ now
  /// @param removed those of them that have lost a half for good
  record Touched(SortedSet<TenantId> touched, SortedSet<TenantId> removed) {}

  /// Supply and rights that belong together; absent: that service has none for the tenant.
  record Pair(Optional<Supply> supply, Optional<Access> access) {}

  Touched take(CatalogUpdate update) {
    SortedSet<TenantId> touched = new TreeSet<>();
    SortedSet<TenantId> removed = new TreeSet<>();
    switch (update) {
      case CatalogUpdate.OfSupply supply -> {
        forget(supplies, update, supply.removedTenants(), removed);
        supply.removedTenants().forEach(prepared::remove);
        if (update.durable().snapshot()) {
          prepared.clear();
        }
        for (Supply each : supply.supplies()) {
          supplies.put(each.tenant(), each);
          prepared.remove(each.tenant());
          touched.add(each.tenant());
        }
        for (Supply each : supply.prepared()) {
          prepared.put(each.tenant(), each);
          touched.add(each.tenant());
        }
        removed.removeIf(supplies::containsKey);
      }
      case CatalogUpdate.OfAccess access -> {
        forget(accesses, update, access.removedTenants(), removed);
        for (Access each : access.accesses()) {
          accesses.put(each.tenant(), each);
          touched.add(each.tenant());
        }
        removed.removeIf(accesses::containsKey);
      }
    }
    touched.addAll(removed);
    return new Touched(touched, removed);
  }

  /// The newest halves, whether they belong together or not.
  Pair newest(TenantId tenant) {
    return new Pair(Optional.ofNullable(supply(tenant)), Optional.ofNullable(accesses.get(tenant)));
  }

  /// The change of which only one half has come; empty: the newest halves belong together.
  Optional<JointChange> unpaired(TenantId tenant) {
    Supply supply = supply(tenant);
    Access access = accesses.get(tenant);
    long resourceVersion = supply == null ? 0 : supply.version();
    long accessVersion = access == null ? 0 : access.version();
    return Optional.ofNullable(access)
        .flatMap(Access::joint)
        .filter(joint -> joint.resourceVersion() > resourceVersion)
        .or(() ->
            Optional.ofNullable(supply)
                .flatMap(Supply::joint)
                .filter(joint -> joint.accessVersion() > accessVersion));
  }

  private @Nullable Supply supply(TenantId tenant) {
    Supply inForce = supplies.get(tenant);
    Supply next = prepared.get(tenant);
    boolean isCommitted =
        next != null
            && (inForce == null || inForce.version() < next.version())
            && Optional.ofNullable(accesses.get(tenant))
                .flatMap(Access::joint)
                .map(JointChange::id)
                .equals(next.joint().map(JointChange::id));
    return isCommitted ? next : inForce;
  }

  private static <T> void forget(
      Map<TenantId, T> known,
      CatalogUpdate update,
      List<TenantId> removedTenants,
      SortedSet<TenantId> removed) {
    if (update.durable().snapshot()) {
      removed.addAll(known.keySet());
      known.clear();
    }
    for (TenantId tenant : removedTenants) {
      if (known.remove(tenant) != null) {
        removed.add(tenant);
      }
    }
  }
}
