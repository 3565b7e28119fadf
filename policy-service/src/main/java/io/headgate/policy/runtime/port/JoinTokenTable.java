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
  /// A join token and the hash of its secret.
  record Entry(StoredJoinToken token, SecretHash hash) {}

  /// The number of the tenant's live tokens.
  int countLive(TenantId tenant, Instant now);

  /// The tenant's live tokens after `after`, newest first.
  List<StoredJoinToken> listLive(TenantId tenant, Instant now, Optional<Position> after, int limit);

  void insert(Entry entry, String createdBy);

  Optional<Entry> find(KeyId id);

  /// Like {@link #find}, but locks the token until the end of the transaction.
  Optional<Entry> lock(KeyId id);

  /// Uses the token once.
  void use(KeyId id);

  void end(KeyId id, Instant at);

  /// Deletes some of the tokens that ended before `before`.
  void forget(Instant before);
}
