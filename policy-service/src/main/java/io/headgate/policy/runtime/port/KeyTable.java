package io.headgate.policy.runtime.port;

import io.headgate.policy.core.identity.KeyOwner;
import io.headgate.policy.core.key.KeyId;
import io.headgate.policy.core.key.SecretHash;
import io.headgate.policy.core.key.StoredKey;
import io.headgate.policy.core.name.NodeId;
import io.headgate.policy.core.name.TenantId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// Keys.
public interface KeyTable {
  /// A key and the hash that its secret must have.
  record Entry(StoredKey key, SecretHash hash) {}

  /// Where a page ended: keys are listed newest first, those of one moment by id.
  record Position(Instant createdAt, KeyId id) {}

  Optional<Entry> find(KeyId id);

  /// Which keys are listed.
  ///
  /// @param tenant absent: of all
  /// @param isRevokedShown revoked ones as well
  record Scope(Optional<TenantId> tenant, boolean isRevokedShown) {}

  /// Newest first, after `after`.
  List<StoredKey> list(Scope scope, Optional<Position> after, int limit);

  /// Whether it was made; not, if it is a node's and the node has a live one.
  boolean insert(Entry entry, String createdBy);

  /// Notes that the key was used, in the hour that begins at `hour`.
  void markUsed(KeyId id, Instant hour);

  void revoke(KeyId id, Instant at, String by);

  /// Revokes all live keys of `owner` and says how many there were.
  int revokeAll(KeyOwner owner, Instant at, String by);

  /// Revokes all live keys of everybody in `tenant` and says how many there were.
  int revokeAll(TenantId tenant, Instant at, String by);

  Optional<KeyId> liveOfNode(TenantId tenant, NodeId node);

  /// Keys of `owner` that can be used now. Until this transaction ends nobody else counts them, so
  /// that two who make the last one that is allowed do not both make it.
  int countLive(KeyOwner owner, Instant now);

  /// Keys of operators that can be used now. Until this transaction ends nobody else counts them,
  /// so that two that revoke "one of two" do not end with none.
  int countLiveOfOperators(Instant now);

  /// Whether any operator ever had a key. Until this transaction ends nobody else is told, so that
  /// two processes that start at once do not both make the first one.
  boolean hasOperators();
}
