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
}
