package io.headgate.kit.client;

import java.util.Optional;

/// Supplies a client's bearer token. It is asked for each call, so a renewed token takes effect at
/// once. May block.
@FunctionalInterface
public interface TokenSource {
  /// The current token; empty for an anonymous call.
  Optional<String> token();

  /// Sends no token.
  static TokenSource anonymous() {
    return Optional::empty;
  }
}
