package io.headgate.policy.store;

import static io.headgate.policy.store.jooq.Tables.JOIN_TOKENS;
import static org.jooq.impl.DSL.noCondition;
import static org.jooq.impl.DSL.row;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.val;

import io.headgate.policy.core.key.KeyId;
import io.headgate.policy.core.key.SecretHash;
import io.headgate.policy.core.key.StoredJoinToken;
import io.headgate.policy.core.name.PoolId;
import io.headgate.policy.core.name.TenantId;
import io.headgate.policy.runtime.port.JoinTokenTable;
import io.headgate.policy.runtime.port.KeyTable.Position;
import io.headgate.policy.store.jooq.tables.records.JoinTokensRecord;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.jooq.Condition;
import org.jooq.DSLContext;

/// Rows of `join_tokens`.
final class PostgresJoinTokens implements JoinTokenTable {
  /// Old tokens that each new token deletes, so that the table stays small.
  private static final int FORGOTTEN_AT_ONCE = 10;

  private static final HexFormat HEX = HexFormat.of();

  private final DSLContext dsl;

  PostgresJoinTokens(DSLContext dsl) {
    this.dsl = dsl;
  }

  @Override
  public int countLive(TenantId tenant, Instant now) {
    return dsl.fetchCount(JOIN_TOKENS, isLive(tenant, now));
  }

  @Override
  public List<StoredJoinToken> listLive(
      TenantId tenant, Instant now, Optional<Position> after, int limit) {
    return dsl.selectFrom(JOIN_TOKENS)
        .where(isLive(tenant, now))
        .and(
            after
                .map(position ->
                    row(JOIN_TOKENS.CREATED_AT, JOIN_TOKENS.JOIN_TOKEN_ID)
                        .lt(row(val(position.createdAt()), val(position.id().value()))))
                .orElse(noCondition()))
        .orderBy(JOIN_TOKENS.CREATED_AT.desc(), JOIN_TOKENS.JOIN_TOKEN_ID.desc())
        .limit(limit)
        .fetch(PostgresJoinTokens::token);
  }

  private static Condition isLive(TenantId tenant, Instant now) {
    return JOIN_TOKENS.TENANT_ID.eq(tenant.value()).and(JOIN_TOKENS.EXPIRES_AT.gt(now));
  }

  @Override
  public void insert(Entry entry, String createdBy) {
    StoredJoinToken token = entry.token();
    dsl.insertInto(JOIN_TOKENS)
        .set(JOIN_TOKENS.JOIN_TOKEN_ID, token.id().value())
        .set(JOIN_TOKENS.TENANT_ID, token.tenant().value())
        .set(JOIN_TOKENS.POOL_ID, token.pool().value())
        .set(JOIN_TOKENS.SECRET_SHA256, HEX.parseHex(entry.hash().hex()))
        .set(JOIN_TOKENS.USES, token.uses())
        .set(JOIN_TOKENS.USES_LEFT, token.usesLeft())
        .set(JOIN_TOKENS.CREATED_AT, token.createdAt())
        .set(JOIN_TOKENS.CREATED_BY, createdBy)
        .set(JOIN_TOKENS.EXPIRES_AT, token.expiresAt())
        .execute();
  }

  @Override
  public Optional<Entry> find(KeyId id) {
    return dsl.selectFrom(JOIN_TOKENS)
        .where(JOIN_TOKENS.JOIN_TOKEN_ID.eq(id.value()))
        .fetchOptional(PostgresJoinTokens::entry);
  }

  @Override
  public Optional<Entry> lock(KeyId id) {
    return dsl.selectFrom(JOIN_TOKENS)
        .where(JOIN_TOKENS.JOIN_TOKEN_ID.eq(id.value()))
        .forUpdate()
        .fetchOptional(PostgresJoinTokens::entry);
  }

  @Override
  public void use(KeyId id) {
    dsl.update(JOIN_TOKENS)
        .set(JOIN_TOKENS.USES_LEFT, JOIN_TOKENS.USES_LEFT.minus(1))
        .where(JOIN_TOKENS.JOIN_TOKEN_ID.eq(id.value()))
        .execute();
  }

  @Override
  public void end(KeyId id, Instant at) {
    dsl.update(JOIN_TOKENS)
        .set(JOIN_TOKENS.EXPIRES_AT, at)
        .where(JOIN_TOKENS.JOIN_TOKEN_ID.eq(id.value()))
        .execute();
  }

  @Override
  public void forget(Instant before) {
    dsl.deleteFrom(JOIN_TOKENS)
        .where(
            JOIN_TOKENS.JOIN_TOKEN_ID.in(
                select(JOIN_TOKENS.JOIN_TOKEN_ID)
                    .from(JOIN_TOKENS)
                    .where(JOIN_TOKENS.EXPIRES_AT.lt(before))
                    .orderBy(JOIN_TOKENS.EXPIRES_AT)
                    .limit(FORGOTTEN_AT_ONCE)
                    .forUpdate()
                    .skipLocked()))
        .execute();
  }

  private static Entry entry(JoinTokensRecord row) {
    return new Entry(token(row), new SecretHash(HEX.formatHex(row.getSecretSha256())));
  }

  private static StoredJoinToken token(JoinTokensRecord row) {
    return new StoredJoinToken(
        new KeyId(row.getJoinTokenId()),
        new TenantId(row.getTenantId()),
        new PoolId(row.getPoolId()),
        row.getUses(),
        row.getUsesLeft(),
        row.getCreatedAt(),
        row.getExpiresAt());
  }
}
