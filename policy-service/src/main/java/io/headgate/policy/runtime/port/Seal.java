package io.headgate.policy.runtime.port;

/// Encrypts values that must not be readable in the database, with a key outside of it.
/// Thread-safe.
public interface Seal {
  /// Encrypts `plain` and binds it to `context`; it opens only with that context.
  String seal(String plain, String context);

  /// Decrypts a result of {@link #seal} for the same context.
  ///
  /// @throws IllegalStateException if the key or the context is another, or the text was changed
  String open(String sealed, String context);
}
