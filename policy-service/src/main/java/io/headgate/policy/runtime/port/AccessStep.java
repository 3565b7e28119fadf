package io.headgate.policy.runtime.port;

import io.headgate.kit.watch.WatchPosition;
import io.headgate.policy.core.access.AccessVersion;
import io.headgate.policy.core.name.TenantId;
import java.util.List;

/// What follows for one who watches all tenants' access configurations.
///
/// @param position of the watch, not of a tenant
/// @param isSnapshot this is everything; forget what was known
/// @param configurations that changed
/// @param deleted tenants that are gone
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
