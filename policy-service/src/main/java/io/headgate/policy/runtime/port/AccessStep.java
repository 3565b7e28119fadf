package io.headgate.policy.runtime.port;

import io.headgate.kit.position.WatchPosition;
import io.headgate.policy.core.access.AccessVersion;
import io.headgate.policy.core.name.TenantId;
import java.util.List;

/// One step for a watcher of all tenants' access configurations.
///
/// @param position of the watch, not of a tenant
/// @param isSnapshot whether this is everything, so that earlier state is void
/// @param configurations that changed
/// @param deleted tenants
public record AccessStep(
    WatchPosition position,
    boolean isSnapshot,
    List<AccessVersion> configurations,
    List<TenantId> deleted) {
  public AccessStep {
    configurations = List.copyOf(configurations);
    deleted = List.copyOf(deleted);
  }

  public boolean isEmpty() {
    return !isSnapshot && configurations.isEmpty() && deleted.isEmpty();
  }
}
