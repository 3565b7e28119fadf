package io.headgate.kit.client;

import java.util.Optional;

/// Where a client's bearer token comes from; asked for each call, so a renewed token is used at
/// once. May block.
@FunctionalInterface
public interface TokenSource {
  /// The token to send now, or nothing for an anonymous call.
  Optional<String> token();

  /// Sends no token.
  static TokenSource anonymous() {
    return Optional::empty;
  }
}
