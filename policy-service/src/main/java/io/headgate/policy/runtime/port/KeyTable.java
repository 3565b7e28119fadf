package io.headgate.policy.runtime.port;

import io.headgate.policy.core.identity.KeyOwner;
import io.headgate.policy.core.key.KeyId;
import io.headgate.policy.core.key.MachineKey;
import io.headgate.policy.core.key.MachineProof;
import io.headgate.policy.core.key.SecretHash;
import io.headgate.policy.core.key.StoredKey;
import io.headgate.policy.core.name.NodeId;
import io.headgate.policy.core.name.TenantId;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Keys.
public interface KeyTable {
  /// A key and the hash of its secret.
  record Entry(StoredKey key, SecretHash hash) {}

  /// The end of a page: keys are listed newest first, keys of one time by id.
  record Position(Instant createdAt, KeyId id) {}

  Optional<Entry> find(KeyId id);

  /// Selects the listed keys.
  ///
  /// @param tenant absent: all tenants
  /// @param isRevokedShown whether revoked keys are listed
  record Scope(Optional<TenantId> tenant, boolean isRevokedShown) {}

  /// The keys after `after`, newest first.
  List<StoredKey> list(Scope scope, Optional<Position> after, int limit);

  /// The subset of `keys` whose owner has rights only by groups and is in none.
  Set<KeyId> withoutGroup(Collection<KeyId> keys);

  /// Inserts the key; false if it is a node's and the node has a live key.
  boolean insert(Entry entry, String createdBy);

  /// Records that the key was used in the hour that begins at `hour`.
  void markUsed(KeyId id, Instant hour);

  /// Binds the key to the machine; false if it is bound already or revoked.
  boolean bind(KeyId id, MachineKey machine);

  /// Records a proof of the machine. False if its counter is not above the last one, or too far
  /// {@link MachineProof.Numbered#MOST_AHEAD ahead}. False, too, if the key is revoked or not bound
  /// to the machine.
  boolean advance(KeyId id, MachineKey machine, long counter, Instant now);

  /// The counter of the last proof, 0 for none; empty if the key is revoked or not bound to the
  /// machine.
  Optional<Long> lastProof(KeyId id, MachineKey machine);

  void revoke(KeyId id, Instant at, String by);

  /// Revokes all live keys of `owner` and returns their number.
  int revokeAll(KeyOwner owner, Instant at, String by);

  /// Revokes all live keys in `tenant` and returns their number.
  int revokeAll(TenantId tenant, Instant at, String by);

  Optional<KeyId> liveOfNode(TenantId tenant, NodeId node);

  /// The number of the owner's live keys. It locks the count until the end of the transaction, so
  /// that two concurrent requests do not both create the last allowed key.
  int countLive(KeyOwner owner, Instant now);

  /// The number of live keys of each of `owners`, all of one tenant and one kind. An owner without
  /// a key is missing.
  Map<KeyOwner, Integer> countLiveOfEach(Collection<KeyOwner> owners, Instant now);

  /// The number of the operators' live keys. It locks the count until the end of the transaction,
  /// so that two concurrent revocations do not leave none.
  int countLiveOfOperators(Instant now);

  /// Whether any operator ever had a key. It holds a lock until the end of the transaction, so that
  /// two processes that start at once do not both create the first key.
  boolean hasOperators();
}
