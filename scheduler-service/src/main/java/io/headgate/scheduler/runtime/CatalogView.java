package io.headgate.scheduler.runtime;

import io.headgate.scheduler.core.catalog.Catalog;
import io.headgate.scheduler.core.catalog.Pool;
import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.catalog.Profile;
import io.headgate.scheduler.core.catalog.ProfileId;
import io.headgate.scheduler.core.catalog.Queue;
import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.catalog.TenantId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/// What is provisioned and who may use it, at one moment. Immutable, so that any thread may hold
/// one.
public final class CatalogView {
  public static final CatalogView EMPTY = new CatalogView(new TreeMap<>(), new TreeMap<>());

  private final SortedMap<TenantId, Supply> supplies;
  private final SortedMap<TenantId, Access> accesses;

  CatalogView(Map<TenantId, Supply> supplies, Map<TenantId, Access> accesses) {
    this.supplies = new TreeMap<>(supplies);
    this.accesses = new TreeMap<>(accesses);
  }

  /// The same, with other hardware or other rights of a tenant.
  ///
  /// @param supply absent: as it is
  /// @param access absent: as it is
  public CatalogView with(Optional<Supply> supply, Optional<Access> access) {
    CatalogView changed = new CatalogView(supplies, accesses);
    supply.ifPresent(each -> changed.supplies.put(each.tenant(), each));
    access.ifPresent(each -> changed.accesses.put(each.tenant(), each));
    return changed;
  }

  /// What is provisioned for the tenant, as the core is told.
  public Catalog merged(TenantId tenant) {
    return Catalogs.merged(tenant, supplies.get(tenant), accesses.get(tenant));
  }

  public Optional<Queue> queue(QueueId id) {
    return queues(id.tenant()).stream().filter(queue -> queue.id().equals(id)).findFirst();
  }

  public List<Queue> queues(TenantId tenant) {
    Access access = accesses.get(tenant);
    return access == null ? List.of() : access.queues();
  }

  public Optional<Profile> profile(ProfileId id) {
    Supply supply = supplies.get(id.tenant());
    return supply == null
        ? Optional.empty()
        : supply.profiles().stream().filter(profile -> profile.id().equals(id)).findFirst();
  }

  public Optional<Pool> pool(PoolId id) {
    Supply supply = supplies.get(id.tenant());
    return supply == null
        ? Optional.empty()
        : supply.pools().stream()
            .map(Supply.OfferedPool::pool)
            .filter(pool -> pool.id().equals(id))
            .findFirst();
  }

  public Optional<Access.Rights> rights(TenantId tenant, String policy) {
    Access access = accesses.get(tenant);
    return access == null
        ? Optional.empty()
        : access.policies().stream()
            .filter(rights -> rights.policy().id().name().equals(policy))
            .findFirst();
  }

  /// Whether the subject is a member of the group whose policy the queue leads to (DESIGN A1).
  public boolean admits(Queue queue, String subject) {
    Access access = accesses.get(queue.id().tenant());
    if (access == null) {
      return false;
    }
    Optional<String> group =
        rights(queue.id().tenant(), queue.policy().name()).map(Access.Rights::group);
    return group.isPresent()
        && access.groups().stream()
            .anyMatch(each -> each.id().equals(group.get()) && each.members().contains(subject));
  }
}
