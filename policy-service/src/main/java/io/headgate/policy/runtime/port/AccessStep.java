package io.headgate.policy.runtime.port;

import io.headgate.kit.position.WatchPosition;
import io.headgate.policy.core.access.AccessVersion;
import io.headgate.policy.core.name.TenantId;
import io.headgate.policy.core.name.UserId;
import java.util.List;

/// One step for a watcher of all tenants' access configurations.
///
/// @param position of the watch, not of a tenant
/// @param isSnapshot whether this is everything, so that earlier state is void
/// @param configurations of tenants where something changed
/// @param deleted tenants
public record AccessStep(
    WatchPosition position,
    boolean isSnapshot,
    List<OfTenant> configurations,
    List<TenantId> deleted) {
  /// A tenant's configuration, and its admins, who change apart from it.
  public record OfTenant(AccessVersion version, List<UserId> admins) {
    public OfTenant {
      admins = List.copyOf(admins);
    }
  }

  public AccessStep {
    configurations = List.copyOf(configurations);
    deleted = List.copyOf(deleted);
  }

  public boolean isEmpty() {
    return !isSnapshot && configurations.isEmpty() && deleted.isEmpty();
  }
}
