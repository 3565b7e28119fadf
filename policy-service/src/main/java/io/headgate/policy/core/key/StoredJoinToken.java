package io.headgate.policy.core.key;

import io.headgate.policy.core.name.PoolId;
import io.headgate.policy.core.name.TenantId;
import java.time.Instant;

/// A join token as it is kept: how many machines may still join which pool with it.
public record StoredJoinToken(
    KeyId id, TenantId tenant, PoolId pool, int usesLeft, Instant createdAt, Instant expiresAt) {
  public boolean isGood(Instant now) {
    return usesLeft > 0 && now.isBefore(expiresAt);
  }
}
