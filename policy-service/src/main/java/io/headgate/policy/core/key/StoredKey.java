package io.headgate.policy.core.key;

import io.headgate.policy.core.identity.KeyOwner;
import io.headgate.policy.core.name.PoolId;
import java.time.Instant;
import java.util.Optional;

/// A key without its secret and hash.
///
/// @param pool the pool that the node joined; present exactly for keys of nodes
/// @param machineKey the machine to which the key is bound; only keys of nodes are, and those from
///   before machines had key pairs are not yet
/// @param lastUsedAt to the hour
public record StoredKey(
    KeyId id,
    KeyOwner owner,
    Optional<PoolId> pool,
    Optional<MachineKey> machineKey,
    String description,
    Lifetime lifetime,
    Optional<Instant> lastUsedAt) {
  /// The most valid keys.
  public static final int MAX_PER_OWNER = 100;

  /// Its validity; revocation ends it early.
  public record Lifetime(
      Instant createdAt, Optional<Instant> expiresAt, Optional<Instant> revokedAt) {
    public boolean isLive(Instant now) {
      return revokedAt.isEmpty() && expiresAt.map(now::isBefore).orElse(true);
    }
  }

  public StoredKey {
    if (pool.isPresent() != (owner instanceof KeyOwner.OfNode)) {
      throw new IllegalArgumentException("keys of nodes, and only those, have a pool: " + id);
    }
    if (machineKey.isPresent() && pool.isEmpty()) {
      throw new IllegalArgumentException("only keys of nodes are bound to machines: " + id);
    }
  }
}
