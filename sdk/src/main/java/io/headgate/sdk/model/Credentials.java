package io.headgate.sdk.model;

/// What a client shows to prove who it is. None of them prints its secret.
public sealed interface Credentials {
  /// A long-lived key, exchanged for short-lived tokens as they are needed.
  record Key(String secret) implements Credentials {
    @Override
    public String toString() {
      return "Key[…]";
    }
  }

  /// A token that somebody else renews.
  record Token(String token) implements Credentials {
    @Override
    public String toString() {
      return "Token[…]";
    }
  }

  /// For calls that need no identity.
  record None() implements Credentials {}
}
