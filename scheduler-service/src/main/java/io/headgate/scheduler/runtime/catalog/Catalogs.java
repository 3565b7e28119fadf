package io.headgate.scheduler.runtime.catalog;

import io.headgate.scheduler.core.catalog.Catalog;
import io.headgate.scheduler.core.catalog.Policy;
import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.Pool;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.catalog.TenantShare;
import io.headgate.scheduler.runtime.catalog.Supply.Owner;
import io.headgate.type.GpuQuantity;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Joins the parts of a tenant's catalog from two services into the core's catalog. A change of
/// both takes effect as one: until both of its halves have come, the old ones stay. A half whose
/// sibling does not come is taken alone after a bounded wait. Beyond such changes, either half may
/// be ahead of the other: names that lead nowhere are the core's to explain. Confined to the loop.
public final class Catalogs {
  private static final Logger LOG = LoggerFactory.getLogger(Catalogs.class);

  /// Bounds the wait of a tenant, in waits of one change.
  private static final int CHANGES_WAITED_FOR = 3;

  private final Duration changeWait;
  private final Halves halves = new Halves();
  private final Map<TenantId, Supply> supplies = new TreeMap<>();
  private final Map<TenantId, Access> accesses = new TreeMap<>();
  private Budgets budgets = Budgets.NONE;

  /// The wait of each tenant of which half of a change has come.
  private final SortedMap<TenantId, Wait> waits = new TreeMap<>();

  /// A half that waits.
  ///
  /// @param change id of the change
  /// @param since the tenant's catalog stays as it is
  /// @param end of the wait for the other half
  private record Wait(String change, Instant since, Instant end) {}

  /// The change of each tenant whose half was taken alone.
  private final Map<TenantId, String> taken = new HashMap<>();

  /// @param changeWait how long a half waits for its sibling
  public Catalogs(Duration changeWait) {
    this.changeWait = changeWait;
  }

  /// The tenants whose catalog is another now.
  ///
  /// @param rights those of them whose rights are others
  public record Moved(SortedSet<TenantId> tenants, SortedSet<TenantId> rights) {}

  /// Takes a step of a watch.
  public Moved apply(CatalogUpdate update, Instant now) {
    Moved moved = new Moved(new TreeSet<>(), new TreeSet<>());
    Halves.Touched touched = halves.take(update);
    for (TenantId tenant : touched.touched()) {
      Optional<JointChange> unpaired =
          touched.removed().contains(tenant) ? Optional.empty() : halves.unpaired(tenant);
      if (unpaired.isEmpty() || unpaired.get().id().equals(taken.get(tenant))) {
        if (unpaired.isEmpty()) {
          taken.remove(tenant);
        }
        waits.remove(tenant);
        take(tenant, moved);
      } else {
        waits.merge(
            tenant, new Wait(unpaired.get().id(), now, now.plus(changeWait)), this::followed);
      }
    }
    return moved;
  }

  /// A change after the one that waits has its own wait. Changes that follow one another do not
  /// keep rights out of force for ever.
  private Wait followed(Wait before, Wait next) {
    if (next.change().equals(before.change())) {
      return before;
    }
    Instant last = before.since().plus(changeWait.multipliedBy(CHANGES_WAITED_FOR));
    return new Wait(next.change(), before.since(), next.end().isBefore(last) ? next.end() : last);
  }

  /// Takes the halves whose wait is over.
  public Moved takeOverdue(Instant now) {
    Moved moved = new Moved(new TreeSet<>(), new TreeSet<>());
    for (Map.Entry<TenantId, Wait> waiting : List.copyOf(waits.entrySet())) {
      TenantId tenant = waiting.getKey();
      Wait wait = waiting.getValue();
      if (!now.isBefore(wait.end())) {
        waits.remove(tenant);
        halves
            .unpaired(tenant)
            .ifPresent(joint -> {
              LOG.warn(
                  "change {} of {} is incomplete: resources {} and access {} belong together, and"
                      + " only one of them came within {}; it is in force alone now",
                  joint.id(),
                  tenant,
                  joint.resourceVersion(),
                  joint.accessVersion(),
                  changeWait);
              taken.put(tenant, joint.id());
            });
        take(tenant, moved);
      }
    }
    return moved;
  }

  /// The tenants of which half of a change waits for the other.
  public Set<TenantId> waiting() {
    return waits.keySet();
  }

  /// Whether the wait of a half is over.
  public boolean isOverdue(Instant now) {
    return waits.values().stream().anyMatch(wait -> !now.isBefore(wait.end()));
  }

  private void take(TenantId tenant, Moved moved) {
    Halves.Pair pair = halves.newest(tenant);
    Optional<Supply> supply = Optional.ofNullable(supplies.get(tenant));
    boolean isSameSupply =
        supply.isEmpty()
            ? pair.supply().isEmpty()
            : pair.supply().filter(supply.get()::offersTheSame).isPresent();
    boolean isSameAccess = Optional.ofNullable(accesses.get(tenant)).equals(pair.access());
    pair.supply()
        .ifPresentOrElse(each -> supplies.put(tenant, each), () -> supplies.remove(tenant));
    pair.access()
        .ifPresentOrElse(each -> accesses.put(tenant, each), () -> accesses.remove(tenant));
    if (!isSameSupply || !isSameAccess) {
      moved.tenants().add(tenant);
    }
    if (!isSameAccess) {
      moved.rights().add(tenant);
    }
  }

  /// The tenants whose rights are known.
  public Set<TenantId> tenants() {
    return accesses.keySet();
  }

  /// Takes what was counted of budgets.
  public void counted(Budgets newBudgets) {
    budgets = newBudgets;
  }

  public CatalogView view() {
    return new CatalogView(supplies, accesses, budgets);
  }

  public Catalog merged(TenantId tenant) {
    return merged(tenant, supplies.get(tenant), accesses.get(tenant), budgets);
  }

  /// Joins the tenant's data of two services; null: that service has none for the tenant.
  ///
  /// @param budgets that may be spent
  public static Catalog merged(
      TenantId tenant, @Nullable Supply supply, @Nullable Access access, Budgets budgets) {
    return new Catalog(
        tenant,
        (supply == null ? 0 : supply.version()) + (access == null ? 0 : access.version()),
        supply == null
            ? List.of()
            : supply.pools().stream()
                .map(pool -> owned(pool, Optional.ofNullable(access)))
                .toList(),
        supply == null ? List.of() : supply.profiles(),
        access == null ? List.of() : budgets.policies(access),
        access == null ? List.of() : access.queues(),
        shares(tenant, supply, access),
        access == null ? List.of() : budgets.departments(access));
  }

  /// A share of nothing for the owner of shared pools binds all tenants in each of them. So one
  /// without a share reserves nothing there, also while no tenant has a share.
  private static List<TenantShare> shares(
      TenantId tenant, @Nullable Supply supply, @Nullable Access access) {
    List<TenantShare> shares = new ArrayList<>();
    if (tenant.equals(TenantId.PLATFORM) && supply != null) {
      for (Supply.OfferedPool offered : supply.pools()) {
        shares.add(
            new TenantShare(
                tenant, offered.pool().id(), Optional.of(GpuQuantity.ZERO), Optional.empty(), 1));
      }
    }
    if (access != null) {
      shares.addAll(access.shares());
    }
    return shares;
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
