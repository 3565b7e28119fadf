package io.headgate.policy.core.identity;

import io.headgate.policy.core.name.TenantId;
import java.time.Instant;

/// An isolation boundary.
public record Tenant(TenantId id, String displayName, Instant createdAt) {}
