package io.headgate.policy.core.key;

import io.headgate.policy.core.name.PoolId;
import io.headgate.policy.core.name.TenantId;
import java.time.Instant;

/// A join token as it is kept: how many machines may still join which pool with it.
///
/// @param uses how many could when it was made
public record StoredJoinToken(
    KeyId id,
    TenantId tenant,
    PoolId pool,
    int uses,
    int usesLeft,
    Instant createdAt,
    Instant expiresAt) {
  /// Those that have not ended.
  public static final int MAX_PER_TENANT = 10_000;

  public boolean isGood(Instant now) {
    return usesLeft > 0 && now.isBefore(expiresAt);
  }
}
