package io.headgate.policy.core.identity;

import io.headgate.policy.core.name.TenantId;
import io.headgate.policy.core.name.UserId;
import java.time.Instant;

/// A person of a tenant.
///
/// @param isAdmin whether the user governs the tenant
public record User(
    TenantId tenant, UserId id, String displayName, boolean isAdmin, Instant createdAt)
    implements Account<UserId> {
  public static final int MAX_PER_TENANT = 100_000;

  public PrincipalRole role() {
    return isAdmin ? PrincipalRole.TENANT_ADMIN : PrincipalRole.MEMBER;
  }
}
