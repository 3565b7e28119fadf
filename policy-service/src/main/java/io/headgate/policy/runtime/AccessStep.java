package io.headgate.policy.runtime;

import io.headgate.policy.core.access.AccessVersion;
import io.headgate.policy.core.name.TenantId;
import java.util.List;

/// What follows for one who watches all tenants' access configurations.
///
/// @param version of the watch, not of a tenant
/// @param isSnapshot this is everything; forget what was known
/// @param configurations that changed
/// @param deleted tenants that are gone
public record AccessStep(
    long version, boolean isSnapshot, List<AccessVersion> configurations, List<TenantId> deleted) {
  public AccessStep {
    configurations = List.copyOf(configurations);
    deleted = List.copyOf(deleted);
  }

  public boolean isEmpty() {
    return !isSnapshot && configurations.isEmpty() && deleted.isEmpty();
  }
}
