package io.headgate.policy.runtime.port;

import io.headgate.policy.core.signing.SigningKeyTimes;
import java.util.Collection;
import java.util.List;

/// The keys that sign tokens.
public interface SigningKeyTable {
  /// A key.
  ///
  /// @param publicJwk its public part as JSON
  /// @param sealedPrivate the whole key, encrypted; see {@link Seal}
  record Entry(SigningKeyTimes times, String publicJwk, String sealedPrivate) {}

  List<Entry> list();

  /// Like {@link #list}, but locks the keys until the end of the transaction.
  List<Entry> lock();

  void insert(Entry entry);

  void delete(Collection<String> keyIds);
}
