package io.headgate.kit.auth;

import java.security.interfaces.ECPublicKey;
import java.util.Optional;

/// Where the public keys that tokens are verified by come from.
@FunctionalInterface
public interface KeySource {

  /// The key called `keyId`; may block to fetch it.
  ///
  /// @throws KeysUnavailableException if no keys could be obtained at all, so that nothing can be
  ///   said about the token
  Optional<ECPublicKey> find(String keyId);
}
