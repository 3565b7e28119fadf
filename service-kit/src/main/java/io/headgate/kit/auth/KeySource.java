package io.headgate.kit.auth;

import java.security.interfaces.ECPublicKey;
import java.util.Optional;

/// Finds the public keys that verify tokens.
@FunctionalInterface
public interface KeySource {

  /// The key with this id; may block to fetch it.
  ///
  /// @throws KeysUnavailableException if no keys could be fetched, so that the token can be neither
  ///   accepted nor refused
  Optional<ECPublicKey> find(String keyId);

  /// Whether the key with this id is known at this moment, so that [#find] needs no other keys for
  /// it. Does not block. A source that fetches nothing has all its keys at hand.
  default boolean isAtHand(String keyId) {
    return true;
  }
}
