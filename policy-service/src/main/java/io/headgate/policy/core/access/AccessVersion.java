package io.headgate.policy.core.access;

import io.headgate.policy.core.name.TenantId;
import java.time.Instant;
import java.util.Optional;

/// A tenant's configuration in force.
///
/// @param version rises with every change; 0 before the first
/// @param change its time and author; absent exactly for version 0
/// @param joint the last change together with supply, up to this version; absent: there was none
public record AccessVersion(
    TenantId tenant,
    long version,
    AccessConfiguration configuration,
    Optional<Change> change,
    Optional<JointChange> joint) {
  /// The last change.
  public record Change(Instant at, String by) {}
}
