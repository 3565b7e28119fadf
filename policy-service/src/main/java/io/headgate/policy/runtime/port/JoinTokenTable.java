package io.headgate.policy.runtime.port;

import io.headgate.policy.core.key.KeyId;
import io.headgate.policy.core.key.SecretHash;
import io.headgate.policy.core.key.StoredJoinToken;
import io.headgate.policy.core.name.TenantId;
import io.headgate.policy.runtime.port.KeyTable.Position;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// Join tokens.
public interface JoinTokenTable {
  /// A join token and the hash that its secret must have.
  record Entry(StoredJoinToken token, SecretHash hash) {}

  /// Those of the tenant that have not ended.
  int countLive(TenantId tenant, Instant now);

  /// Those of the tenant that have not ended: newest first, after `after`.
  List<StoredJoinToken> listLive(TenantId tenant, Instant now, Optional<Position> after, int limit);

  void insert(Entry entry, String createdBy);

  Optional<Entry> find(KeyId id);

  /// As {@link #find}; others who want to use it wait until this transaction ends.
  Optional<Entry> lock(KeyId id);

  /// Takes one use away.
  void use(KeyId id);

  void end(KeyId id, Instant at);

  /// Forgets some of those that ended before `before`.
  void forget(Instant before);
}
