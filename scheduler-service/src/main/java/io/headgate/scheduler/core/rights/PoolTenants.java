package io.headgate.scheduler.core.rights;

import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.catalog.TenantShare;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// The tenants that use one pool. An account is there for good once it was asked for: attempts and
/// routes refer to it.
public final class PoolTenants {
  private final PoolId pool;
  private final TreeMap<TenantId, TenantAccount> accounts = new TreeMap<>();
  private final UseHistory history;
  private List<TenantShare> shares = List.of();

  public PoolTenants(PoolId pool) {
    this.pool = pool;
    this.history = new UseHistory(pool);
  }

  /// Whether some tenant has a share, so that all are bound.
  public boolean isShared() {
    return !shares.isEmpty();
  }

  /// The past use in the pool (O4).
  public UseHistory history() {
    return history;
  }

  /// The accounts by tenant.
  public Collection<TenantAccount> accounts() {
    return accounts.values();
  }

  public TenantAccount account(TenantId tenant) {
    TenantAccount known = accounts.get(tenant);
    if (known == null) {
      known = new TenantAccount(tenant, pool, history);
      known.configure(isShared(), null, 0);
      if (isShared()) {
        known.beginCount();
      }
      accounts.put(tenant, known);
    }
    return known;
  }

  /// Takes all shares in the pool; they replace those before.
  public void configure(List<TenantShare> newShares) {
    shares = List.copyOf(newShares);
    shares.forEach(share -> account(share.tenant()));
  }

  /// Applies the shares to the tenants as they are configured now.
  public void renew(Departments departments) {
    Map<TenantId, TenantShare> byTenant = new HashMap<>();
    shares.forEach(share -> byTenant.put(share.tenant(), share));
    for (TenantAccount account : accounts.values()) {
      account.configure(
          isShared(), byTenant.get(account.tenant()), departments.reservedBy(account.tenant()));
      account.renewProtected();
    }
  }
}
