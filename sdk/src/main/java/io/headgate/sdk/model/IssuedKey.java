package io.headgate.sdk.model;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// A key without its secret.
///
/// @param name `keys/…`, by which it is revoked
/// @param owner `tenants/acme/users/ada`
/// @param expireTime when it ends; null: never
/// @param lastUseTime to the hour; null: never used
/// @param ownerWithoutGroup whether its owner has rights only by groups, and is in none
/// @param machineKey public key of the machine to which a node's key is bound, in hexadecimal;
///   null: it is bound to none
public record IssuedKey(
    String name,
    String owner,
    String description,
    Instant createTime,
    @Nullable Instant expireTime,
    @Nullable Instant lastUseTime,
    boolean ownerWithoutGroup,
    @Nullable String machineKey) {
  /// A new key with its secret. The server never returns the secret again.
  public record Made(IssuedKey key, String secret) {
    /// Without the secret, which must not get into logs.
    @Override
    public String toString() {
      return "Made[key=" + key + "]";
    }
  }
}
