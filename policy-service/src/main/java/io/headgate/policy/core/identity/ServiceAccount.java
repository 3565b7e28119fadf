package io.headgate.policy.core.identity;

import io.headgate.policy.core.name.ServiceAccountId;
import io.headgate.policy.core.name.TenantId;
import java.time.Instant;

/// An automated client of a tenant.
public record ServiceAccount(
    TenantId tenant, ServiceAccountId id, String displayName, Instant createdAt)
    implements Account<ServiceAccountId> {
  public static final int MAX_PER_TENANT = 10_000;
}
