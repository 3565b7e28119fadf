package io.headgate.sdk.model;

/// The client's proof of identity. `toString` never prints the secret.
public sealed interface Credentials {
  /// A long-lived key, exchanged for short-lived tokens as they are needed.
  record Key(String secret) implements Credentials {
    @Override
    public String toString() {
      return "Key[…]";
    }
  }

  /// A token that the caller renews.
  record Token(String token) implements Credentials {
    @Override
    public String toString() {
      return "Token[…]";
    }
  }

  /// For calls that need no identity.
  record None() implements Credentials {}
}
