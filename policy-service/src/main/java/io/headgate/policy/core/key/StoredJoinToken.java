package io.headgate.policy.core.key;

import io.headgate.policy.core.name.PoolId;
import io.headgate.policy.core.name.TenantId;
import java.time.Instant;

/// A join token without its secret: its pool, and the number of machines that may still join.
///
/// @param uses number of machines at its creation
public record StoredJoinToken(
    KeyId id,
    TenantId tenant,
    PoolId pool,
    int uses,
    int usesLeft,
    Instant createdAt,
    Instant expiresAt) {
  /// Join tokens that have not ended.
  public static final int MAX_PER_TENANT = 10_000;

  public boolean isGood(Instant now) {
    return usesLeft > 0 && now.isBefore(expiresAt);
  }
}
