package io.headgate.policy.runtime.port;

import io.headgate.kit.config.Secret;
import io.headgate.policy.core.signing.SigningKeyTimes;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/// The keys that sign tokens.
public interface SigningKeyTable {
  /// A key.
  ///
  /// @param publicJwk its public part as JSON
  /// @param privateJwk the whole key as JSON; empty: it cannot be decrypted, and the log says why
  record Entry(SigningKeyTimes times, String publicJwk, Optional<Secret> privateJwk) {}

  List<Entry> list();

  /// The times of the keys, which are locked until the end of the transaction. Decrypts none, so
  /// that keys which cannot be decrypted can be replaced.
  List<SigningKeyTimes> lock();

  void insert(Entry entry);

  void delete(Collection<String> keyIds);
}
