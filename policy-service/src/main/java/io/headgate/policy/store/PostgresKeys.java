package io.headgate.policy.store;

import static io.headgate.policy.store.jooq.Tables.GROUP_SERVICE_ACCOUNTS;
import static io.headgate.policy.store.jooq.Tables.GROUP_USERS;
import static io.headgate.policy.store.jooq.Tables.KEYS;
import static io.headgate.policy.store.jooq.Tables.USERS;
import static org.jooq.impl.DSL.any;
import static org.jooq.impl.DSL.count;
import static org.jooq.impl.DSL.exists;
import static org.jooq.impl.DSL.function;
import static org.jooq.impl.DSL.greatest;
import static org.jooq.impl.DSL.noCondition;
import static org.jooq.impl.DSL.not;
import static org.jooq.impl.DSL.row;
import static org.jooq.impl.DSL.selectOne;
import static org.jooq.impl.DSL.val;

import io.headgate.policy.core.identity.KeyOwner;
import io.headgate.policy.core.key.KeyId;
import io.headgate.policy.core.key.KeyKind;
import io.headgate.policy.core.key.MachineKey;
import io.headgate.policy.core.key.MachineProof;
import io.headgate.policy.core.key.SecretHash;
import io.headgate.policy.core.key.StoredKey;
import io.headgate.policy.core.key.StoredKey.Lifetime;
import io.headgate.policy.core.name.NodeId;
import io.headgate.policy.core.name.PoolId;
import io.headgate.policy.core.name.ServiceAccountId;
import io.headgate.policy.core.name.TenantId;
import io.headgate.policy.core.name.UserId;
import io.headgate.policy.runtime.port.KeyTable;
import io.headgate.policy.store.jooq.tables.records.KeysRecord;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;

/// Rows of `keys`.
final class PostgresKeys implements KeyTable {
  private static final HexFormat HEX = HexFormat.of();

  /// An advisory lock key that nothing else in this database uses.
  private static final long FIRST_OPERATOR = 0x6865_6164_6761_7465L;

  private final DSLContext dsl;

  PostgresKeys(DSLContext dsl) {
    this.dsl = dsl;
  }

  @Override
  public Optional<Entry> find(KeyId id) {
    return dsl.selectFrom(KEYS)
        .where(KEYS.KEY_ID.eq(id.value()))
        .fetchOptional(
            row -> new Entry(key(row), new SecretHash(HEX.formatHex(row.getSecretSha256()))));
  }

  @Override
  public List<StoredKey> list(Scope scope, Optional<Position> after, int limit) {
    return dsl.selectFrom(KEYS)
        .where(scope.isRevokedShown() ? noCondition() : KEYS.REVOKED_AT.isNull())
        .and(scope.tenant().map(id -> KEYS.TENANT_ID.eq(id.value())).orElse(noCondition()))
        .and(
            after
                .map(position ->
                    row(KEYS.CREATED_AT, KEYS.KEY_ID)
                        .lt(row(val(position.createdAt()), val(position.id().value()))))
                .orElse(noCondition()))
        .orderBy(KEYS.CREATED_AT.desc(), KEYS.KEY_ID.desc())
        .limit(limit)
        .fetch(PostgresKeys::key);
  }

  @Override
  public Set<KeyId> withoutGroup(Collection<KeyId> keys) {
    Condition member =
        exists(
                selectOne()
                    .from(GROUP_USERS)
                    .where(GROUP_USERS.TENANT_ID.eq(KEYS.TENANT_ID))
                    .and(GROUP_USERS.USER_ID.eq(KEYS.OWNER_ID)))
            .or(
                exists(
                    selectOne()
                        .from(USERS)
                        .where(USERS.TENANT_ID.eq(KEYS.TENANT_ID))
                        .and(USERS.USER_ID.eq(KEYS.OWNER_ID))
                        .and(USERS.IS_ADMIN)));
    Condition account =
        exists(
            selectOne()
                .from(GROUP_SERVICE_ACCOUNTS)
                .where(GROUP_SERVICE_ACCOUNTS.TENANT_ID.eq(KEYS.TENANT_ID))
                .and(GROUP_SERVICE_ACCOUNTS.SERVICE_ACCOUNT_ID.eq(KEYS.OWNER_ID)));
    return new HashSet<>(
        dsl.select(KEYS.KEY_ID)
            .from(KEYS)
            .where(KEYS.KEY_ID.eq(any(keys.stream().map(KeyId::value).toArray(String[]::new))))
            .and(
                KEYS.KIND
                    .eq(KeyKind.USER.name())
                    .and(not(member))
                    .or(KEYS.KIND.eq(KeyKind.SERVICE_ACCOUNT.name()).and(not(account))))
            .fetch(row -> new KeyId(row.value1())));
  }

  @Override
  public boolean insert(Entry entry, String createdBy) {
    StoredKey key = entry.key();
    return dsl.insertInto(KEYS)
            .set(KEYS.KEY_ID, key.id().value())
            .set(KEYS.KIND, KeyKind.of(key.owner()).name())
            .set(KEYS.TENANT_ID, key.owner().tenant().map(TenantId::value).orElse(null))
            .set(KEYS.OWNER_ID, ownerId(key.owner()))
            .set(KEYS.POOL_ID, key.pool().map(PoolId::value).orElse(null))
            .set(KEYS.MACHINE_KEY, key.machineKey().map(MachineKey::encoded).orElse(null))
            .set(KEYS.SECRET_SHA256, HEX.parseHex(entry.hash().hex()))
            .set(KEYS.DESCRIPTION, key.description())
            .set(KEYS.CREATED_AT, key.lifetime().createdAt())
            .set(KEYS.CREATED_BY, createdBy)
            .set(KEYS.EXPIRES_AT, key.lifetime().expiresAt().orElse(null))
            .onConflictDoNothing()
            .execute()
        == 1;
  }

  @Override
  public void markUsed(KeyId id, Instant hour) {
    dsl.update(KEYS).set(KEYS.LAST_USED_AT, hour).where(KEYS.KEY_ID.eq(id.value())).execute();
  }

  @Override
  public void revoke(KeyId id, Instant at, String by) {
    revoke(KEYS.KEY_ID.eq(id.value()), at, by);
  }

  @Override
  public int revokeAll(KeyOwner owner, Instant at, String by) {
    return revoke(of(owner), at, by);
  }

  @Override
  public int revokeAll(TenantId tenant, Instant at, String by) {
    return revoke(KEYS.TENANT_ID.eq(tenant.value()), at, by);
  }

  @Override
  public Optional<KeyId> liveOfNode(TenantId tenant, NodeId node) {
    return dsl.select(KEYS.KEY_ID)
        .from(KEYS)
        .where(KEYS.KIND.eq(KeyKind.NODE.name()))
        .and(KEYS.TENANT_ID.eq(tenant.value()))
        .and(KEYS.OWNER_ID.eq(node.value()))
        .and(KEYS.REVOKED_AT.isNull())
        .fetchOptional(found -> new KeyId(found.value1()));
  }

  @Override
  public int countLive(KeyOwner owner, Instant now) {
    // An owner may have no row to lock; an advisory lock on its name works.
    dsl.select(
            function(
                "pg_advisory_xact_lock",
                Object.class,
                function("hashtextextended", Long.class, val("keys of " + owner.name()), val(0L))))
        .execute();
    return dsl.fetchCount(KEYS, of(owner).and(isLive(now)));
  }

  @Override
  public Map<KeyOwner, Integer> countLiveOfEach(Collection<KeyOwner> owners, Instant now) {
    if (owners.isEmpty()) {
      return Map.of();
    }
    Map<String, KeyOwner> byId = new HashMap<>();
    owners.forEach(owner -> byId.put(ownerId(owner), owner));
    KeyOwner first = owners.iterator().next();
    Map<KeyOwner, Integer> counts = new HashMap<>();
    dsl.select(KEYS.OWNER_ID, count())
        .from(KEYS)
        .where(KEYS.KIND.eq(KeyKind.of(first).name()))
        .and(KEYS.TENANT_ID.eq(first.tenant().map(TenantId::value).orElseThrow()))
        .and(KEYS.OWNER_ID.eq(any(byId.keySet().toArray(String[]::new))))
        .and(isLive(now))
        .groupBy(KEYS.OWNER_ID)
        .forEach(row -> counts.put(byId.get(row.value1()), row.value2()));
    return counts;
  }

  @Override
  public int countLiveOfOperators(Instant now) {
    return dsl.select(KEYS.KEY_ID)
        .from(KEYS)
        .where(KEYS.KIND.eq(KeyKind.OPERATOR.name()))
        .and(isLive(now))
        .orderBy(KEYS.KEY_ID)
        .forUpdate()
        .fetch()
        .size();
  }

  @Override
  public boolean hasOperators() {
    // No row exists yet that could be locked.
    dsl.select(function("pg_advisory_xact_lock", Object.class, val(FIRST_OPERATOR))).execute();
    return dsl.fetchExists(KEYS, KEYS.KIND.eq(KeyKind.OPERATOR.name()));
  }

  @Override
  public boolean bind(KeyId id, MachineKey machine) {
    return dsl.update(KEYS)
            .set(KEYS.MACHINE_KEY, machine.encoded())
            .where(KEYS.KEY_ID.eq(id.value()))
            .and(KEYS.MACHINE_KEY.isNull())
            .and(KEYS.REVOKED_AT.isNull())
            .execute()
        == 1;
  }

  @Override
  public boolean advance(KeyId id, MachineKey machine, long counter, Instant now) {
    Field<Long> base = greatest(KEYS.PROOF_COUNTER, val(now.toEpochMilli()));
    return dsl.update(KEYS)
            .set(KEYS.PROOF_COUNTER, counter)
            .where(isBound(id, machine))
            .and(KEYS.PROOF_COUNTER.lt(counter))
            .and(base.ge(counter - MachineProof.Numbered.MOST_AHEAD.toMillis()))
            .execute()
        == 1;
  }

  @Override
  public Optional<Long> lastProof(KeyId id, MachineKey machine) {
    return dsl.select(KEYS.PROOF_COUNTER)
        .from(KEYS)
        .where(isBound(id, machine))
        .fetchOptional(KEYS.PROOF_COUNTER);
  }

  private static Condition isBound(KeyId id, MachineKey machine) {
    return KEYS.KEY_ID
        .eq(id.value())
        .and(KEYS.MACHINE_KEY.eq(machine.encoded()))
        .and(KEYS.REVOKED_AT.isNull());
  }

  private static MachineKey machineKey(byte[] stored) {
    return MachineKey.parse(stored)
        .orElseThrow(() -> new IllegalStateException("no key of a machine in keys.machine_key"));
  }

  private int revoke(Condition which, Instant at, String by) {
    return dsl.update(KEYS)
        .set(KEYS.REVOKED_AT, at)
        .set(KEYS.REVOKED_BY, by)
        .where(which)
        .and(KEYS.REVOKED_AT.isNull())
        .execute();
  }

  private static Condition of(KeyOwner owner) {
    Condition ofTenant =
        owner.tenant().map(id -> KEYS.TENANT_ID.eq(id.value())).orElseGet(KEYS.TENANT_ID::isNull);
    return KEYS.KIND
        .eq(KeyKind.of(owner).name())
        .and(ofTenant)
        .and(KEYS.OWNER_ID.eq(ownerId(owner)));
  }

  private static Condition isLive(Instant now) {
    return KEYS.REVOKED_AT.isNull().and(KEYS.EXPIRES_AT.isNull().or(KEYS.EXPIRES_AT.gt(now)));
  }

  private static String ownerId(KeyOwner owner) {
    return switch (owner) {
      case KeyOwner.OfUser(_, var user) -> user.value();
      case KeyOwner.OfServiceAccount(_, var account) -> account.value();
      case KeyOwner.OfNode(_, var node) -> node.value();
      case KeyOwner.OfService(var service) -> service;
      case KeyOwner.OfOperator(var operator) -> operator;
    };
  }

  private static KeyOwner owner(KeysRecord row) {
    String id = row.getOwnerId();
    return switch (KeyKind.valueOf(row.getKind())) {
      case USER -> new KeyOwner.OfUser(new TenantId(row.getTenantId()), new UserId(id));
      case SERVICE_ACCOUNT ->
          new KeyOwner.OfServiceAccount(new TenantId(row.getTenantId()), new ServiceAccountId(id));
      case NODE -> new KeyOwner.OfNode(new TenantId(row.getTenantId()), new NodeId(id));
      case SERVICE -> new KeyOwner.OfService(id);
      case OPERATOR -> new KeyOwner.OfOperator(id);
      case JOIN ->
          throw new IllegalStateException("a join token among the keys: " + row.getKeyId());
    };
  }

  private static StoredKey key(KeysRecord row) {
    return new StoredKey(
        new KeyId(row.getKeyId()),
        owner(row),
        Optional.ofNullable(row.getPoolId()).map(PoolId::new),
        Optional.ofNullable(row.getMachineKey()).map(PostgresKeys::machineKey),
        row.getDescription(),
        new Lifetime(
            row.getCreatedAt(),
            Optional.ofNullable(row.getExpiresAt()),
            Optional.ofNullable(row.getRevokedAt())),
        Optional.ofNullable(row.getLastUsedAt()));
  }
}
