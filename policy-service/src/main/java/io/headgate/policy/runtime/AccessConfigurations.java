package io.headgate.policy.runtime;

import io.headgate.kit.position.WatchPosition;
import io.headgate.policy.core.access.AccessConfiguration;
import io.headgate.policy.core.access.AccessPart;
import io.headgate.policy.core.access.AccessVersion;
import io.headgate.policy.core.access.Department;
import io.headgate.policy.core.identity.Caller;
import io.headgate.policy.core.name.TenantId;
import io.headgate.policy.core.name.UserId;
import io.headgate.policy.runtime.port.AccessStep;
import io.headgate.policy.runtime.port.SupplyReader;
import java.util.List;

/// The groups, departments, policies, queues and vaults of tenants. Thread-safe.
public final class AccessConfigurations {
  private final Changes changes;
  private final AccessWriter writer;
  private final SupplyOnDemand onDemand;

  public AccessConfigurations(
      Changes changes, AccessWriter writer, SupplyReader supplies, ChangeSettlement settlement) {
    this.changes = changes;
    this.writer = writer;
    this.onDemand = new SupplyOnDemand(changes, supplies, settlement);
  }

  public AccessVersion get(TenantId tenant) {
    return changes.read(tables -> {
      Changes.find(tables, tenant);
      return tables.access().get(tenant);
    });
  }

  /// The users who are admins of the tenant, by id.
  public List<UserId> admins(TenantId tenant) {
    return changes.read(tables -> tables.access().admins(tenant));
  }

  /// The departments above the policies that the caller sees, by id.
  public List<Department> departments(Caller caller, TenantId tenant) {
    AccessConfiguration all = get(tenant).configuration();
    return all.seenBy(Viewers.of(caller, () -> all)).departments();
  }

  /// The step from `seen` for a watcher of all tenants.
  public AccessStep since(WatchPosition seen) {
    return changes.acrossTenants().read(tables -> tables.access().since(seen));
  }

  /// Operations on single items of one part.
  public <I extends Comparable<I>, T, S> AccessItems<I, T, S> items(AccessPart<I, T, S> part) {
    return new AccessItems<>(part, changes, writer, onDemand);
  }
}
