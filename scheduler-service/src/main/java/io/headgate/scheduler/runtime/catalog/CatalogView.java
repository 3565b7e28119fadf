package io.headgate.scheduler.runtime.catalog;

import io.headgate.scheduler.core.catalog.Catalog;
import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.catalog.Profile;
import io.headgate.scheduler.core.catalog.ProfileId;
import io.headgate.scheduler.core.catalog.Queue;
import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.ledger.Price;
import io.headgate.scheduler.runtime.record.Budget;
import io.headgate.type.Viewer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// A snapshot of the provisioned hardware and of the rights to it. Immutable, so that any thread
/// may hold one.
public final class CatalogView {
  public static final CatalogView EMPTY =
      new CatalogView(new TreeMap<>(), new TreeMap<>(), Budgets.NONE);

  private final SortedMap<TenantId, Supply> supplies;
  private final SortedMap<TenantId, Access> accesses;
  private final Budgets budgets;

  /// Made when a tenant is first asked about: several things are looked up for every job.
  private final Map<TenantId, Index> indexes;

  private record Index(
      Map<QueueId, Queue> queues,
      Map<ProfileId, Profile> profiles,
      Map<PoolId, String> storages,
      Map<PoolId, Price> prices,
      Map<String, Access.Rights> rights,
      Map<String, Access.Group> groups,
      Access.Roles roles,
      boolean isKnown,
      Map<String, Viewer> members) {

    static Index of(@Nullable Supply supply, @Nullable Access access) {
      return new Index(
          by(access == null ? List.of() : access.queues(), Queue::id),
          by(supply == null ? List.of() : supply.profiles(), Profile::id),
          storages(supply),
          prices(supply),
          by(access == null ? List.of() : access.policies(), each -> each.policy().id().name()),
          by(access == null ? List.of() : access.groups(), Access.Group::id),
          access == null ? Access.Roles.UNKNOWN : access.roles(),
          access != null,
          new ConcurrentHashMap<>());
    }

    /// The policies of the subject's groups are its teams, because jobs state their policy. Without
    /// known rights it sees its own jobs only.
    private Viewer member(String subject) {
      if (isKnown && groups.values().stream().noneMatch(each -> each.members().contains(subject))) {
        return Viewer.OF_NOTHING;
      }
      Set<String> teams = new HashSet<>();
      Set<String> led = new HashSet<>();
      rights.forEach((policy, right) -> {
        Access.Group group = groups.get(right.group());
        if (group != null && group.members().contains(subject)) {
          teams.add(policy);
          if (group.leads().contains(subject)) {
            led.add(policy);
          }
        }
      });
      return Viewer.member(subject, teams, led, roles.isOpen());
    }

    private static Map<PoolId, String> storages(@Nullable Supply supply) {
      Map<PoolId, String> storages = new HashMap<>();
      if (supply != null) {
        for (Supply.OfferedPool pool : supply.pools()) {
          pool.storage().ifPresent(storage -> storages.put(pool.pool().id(), storage));
        }
      }
      return storages;
    }

    private static Map<PoolId, Price> prices(@Nullable Supply supply) {
      Map<PoolId, Price> prices = new HashMap<>();
      if (supply != null) {
        for (Supply.OfferedPool pool : supply.pools()) {
          pool.price().ifPresent(price -> prices.put(pool.pool().id(), price));
        }
      }
      return prices;
    }

    private static <K, V> Map<K, V> by(List<V> values, Function<V, K> key) {
      Map<K, V> index = HashMap.newHashMap(values.size());
      values.forEach(value -> index.putIfAbsent(key.apply(value), value));
      return index;
    }
  }

  private Index index(TenantId tenant) {
    return indexes.computeIfAbsent(
        tenant, _ -> Index.of(supplies.get(tenant), accesses.get(tenant)));
  }

  CatalogView(Map<TenantId, Supply> supplies, Map<TenantId, Access> accesses, Budgets budgets) {
    this(new TreeMap<>(supplies), new TreeMap<>(accesses), budgets, new ConcurrentHashMap<>());
  }

  private CatalogView(
      SortedMap<TenantId, Supply> supplies,
      SortedMap<TenantId, Access> accesses,
      Budgets budgets,
      Map<TenantId, Index> indexes) {
    this.supplies = supplies;
    this.accesses = accesses;
    this.budgets = budgets;
    this.indexes = indexes;
  }

  /// The same with a later count of budgets.
  public CatalogView counted(Budgets newBudgets) {
    return new CatalogView(supplies, accesses, newBudgets, indexes);
  }

  /// The last counts of budgets.
  public Budgets budgets() {
    return budgets;
  }

  /// The budgets of a tenant: its own first, then those of departments and of policies, by id.
  public List<Budget> budgets(TenantId tenant) {
    return Optional.ofNullable(accesses.get(tenant)).map(Access::budgets).orElse(List.of());
  }

  /// The tenants with budgets.
  public List<TenantId> tenantsWithBudgets() {
    return accesses.values().stream()
        .filter(access -> !access.budgets().isEmpty())
        .map(Access::tenant)
        .toList();
  }

  /// The tenant's policies that spent budgets restrict now, by name.
  public Map<String, Budgets.Restriction> restrictions(TenantId tenant) {
    return Optional.ofNullable(accesses.get(tenant)).map(budgets::restrictions).orElse(Map.of());
  }

  /// A copy with other hardware or other rights of a tenant.
  ///
  /// @param supply absent: unchanged
  /// @param access absent: unchanged
  public CatalogView with(Optional<Supply> supply, Optional<Access> access) {
    CatalogView changed = new CatalogView(supplies, accesses, budgets);
    supply.ifPresent(each -> changed.supplies.put(each.tenant(), each));
    access.ifPresent(each -> changed.accesses.put(each.tenant(), each));
    return changed;
  }

  /// The tenant's catalog in the core's form.
  public Catalog merged(TenantId tenant) {
    return Catalogs.merged(tenant, supplies.get(tenant), accesses.get(tenant), budgets);
  }

  /// The version of the tenant's resource configuration; 0: nothing was ever provisioned.
  public long resourceVersion(TenantId tenant) {
    return Optional.ofNullable(supplies.get(tenant)).map(Supply::version).orElse(0L);
  }

  /// The version of the tenant's access configuration; 0: no rights were ever set.
  public long accessVersion(TenantId tenant) {
    return Optional.ofNullable(accesses.get(tenant)).map(Access::version).orElse(0L);
  }

  public Optional<Queue> queue(QueueId id) {
    return Optional.ofNullable(index(id.tenant()).queues().get(id));
  }

  public List<Queue> queues(TenantId tenant) {
    Access access = accesses.get(tenant);
    return access == null ? List.of() : access.queues();
  }

  public Optional<Profile> profile(ProfileId id) {
    return Optional.ofNullable(index(id.tenant()).profiles().get(id));
  }

  /// The storage that holds the checkpoints of the pool's jobs; empty: each node's own directory.
  public Optional<String> storage(PoolId pool) {
    return Optional.ofNullable(index(pool.tenant()).storages().get(pool));
  }

  /// The price of the pool's GPUs; empty: it has none.
  public Optional<Price> price(PoolId pool) {
    return Optional.ofNullable(index(pool.tenant()).prices().get(pool));
  }

  /// The storages of the tenant's pools that name one.
  public Map<PoolId, String> storages(TenantId tenant) {
    return Map.copyOf(index(tenant).storages());
  }

  /// The shared pools that the tenant's profiles name.
  public Set<PoolId> sharedPools(TenantId tenant) {
    return merged(tenant).sharedPools();
  }

  public Optional<Access.Rights> rights(TenantId tenant, String policy) {
    return Optional.ofNullable(index(tenant).rights().get(policy));
  }

  /// The rules of the vaults of the group whose policy the queue leads to; empty: unknown, because
  /// there is no such queue or policy.
  public Optional<VaultRules> vaults(QueueId queue) {
    Index index = index(queue.tenant());
    return Optional.ofNullable(index.queues().get(queue))
        .map(each -> index.rights().get(each.policy().name()))
        .flatMap(rights ->
            Optional.ofNullable(accesses.get(queue.tenant()))
                .map(access -> access.vaults().getOrDefault(rights.group(), VaultRules.NONE)));
  }

  /// The view of a member on the tenant. Made once for each member and version of the rights,
  /// because lists and watches ask for every page.
  public Viewer member(TenantId tenant, String subject) {
    Index index = index(tenant);
    return index.members().computeIfAbsent(subject, index::member);
  }

  /// Whether the subject is an admin of the tenant, or an operator. Every subject may be one where
  /// the admins of the tenant are not known.
  public boolean mayGovern(TenantId tenant, String subject) {
    return !subject.startsWith("tenants/")
        || index(tenant).roles().admins().map(admins -> admins.contains(subject)).orElse(true);
  }

  /// Whether a job that was submitted so may start: as a member of the group, or by a role that its
  /// submitter still has (A1).
  public boolean admits(Queue queue, String subject, boolean byRole) {
    return admits(queue, subject) || (byRole && mayGovern(queue.id().tenant(), subject));
  }

  /// Whether the subject is a member of the group whose policy the queue leads to (A1).
  public boolean admits(Queue queue, String subject) {
    Index index = index(queue.id().tenant());
    return Optional.ofNullable(index.rights().get(queue.policy().name()))
        .map(rights -> index.groups().get(rights.group()))
        .filter(group -> group.members().contains(subject))
        .isPresent();
  }
}
