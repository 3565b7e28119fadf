package io.headgate.policy.core.identity;

import io.headgate.policy.core.name.TenantId;
import io.headgate.policy.core.name.UserId;
import java.time.Instant;

/// A person of a tenant.
///
/// @param isAdmin governs the tenant
public record User(
    TenantId tenant, UserId id, String displayName, boolean isAdmin, Instant createdAt) {
  public static final int MAX_PER_TENANT = 100_000;

  /// A member of whom nothing more is known, as groups make them.
  public static User member(TenantId tenant, UserId id, Instant createdAt) {
    return new User(tenant, id, "", false, createdAt);
  }

  public Role role() {
    return isAdmin ? Role.TENANT_ADMIN : Role.MEMBER;
  }
}
