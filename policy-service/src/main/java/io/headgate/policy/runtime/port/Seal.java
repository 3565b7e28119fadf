package io.headgate.policy.runtime.port;

/// Encrypts what must not be readable in the database, with a key that is not in it. Thread-safe.
public interface Seal {
  /// Encrypts `plain`, bound to `context`: it opens in no other place.
  String seal(String plain, String context);

  /// Opens what {@link #seal} returned for the same context.
  ///
  /// @throws IllegalStateException if it was sealed by another key or for another context, or was
  ///   changed
  String open(String sealed, String context);
}
