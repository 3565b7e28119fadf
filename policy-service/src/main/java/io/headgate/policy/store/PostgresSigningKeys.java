package io.headgate.policy.store;

import static io.headgate.policy.store.jooq.Tables.SIGNING_KEYS;

import io.headgate.policy.core.signing.SigningKeyTimes;
import io.headgate.policy.runtime.port.SigningKeyTable;
import io.headgate.policy.store.jooq.tables.records.SigningKeysRecord;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import org.jooq.DSLContext;

/// Rows of `signing_keys`.
final class PostgresSigningKeys implements SigningKeyTable {
  private final DSLContext dsl;

  PostgresSigningKeys(DSLContext dsl) {
    this.dsl = dsl;
  }

  @Override
  public List<Entry> list() {
    return dsl.selectFrom(SIGNING_KEYS)
        .orderBy(SIGNING_KEYS.ACTIVE_FROM, SIGNING_KEYS.SIGNING_KEY_ID)
        .fetch(PostgresSigningKeys::entry);
  }

  @Override
  public List<Entry> lock() {
    // An empty table has no rows to lock. The table lock does not block readers.
    dsl.execute("lock table signing_keys in share row exclusive mode");
    return list();
  }

  @Override
  public void insert(Entry entry) {
    dsl.insertInto(SIGNING_KEYS)
        .set(SIGNING_KEYS.SIGNING_KEY_ID, entry.times().keyId())
        .set(SIGNING_KEYS.PUBLIC_JWK, entry.publicJwk())
        .set(SIGNING_KEYS.SEALED_PRIVATE, Base64.getDecoder().decode(entry.sealedPrivate()))
        .set(SIGNING_KEYS.CREATED_AT, entry.times().createdAt())
        .set(SIGNING_KEYS.ACTIVE_FROM, entry.times().activeFrom())
        .execute();
  }

  @Override
  public void delete(Collection<String> keyIds) {
    dsl.deleteFrom(SIGNING_KEYS).where(SIGNING_KEYS.SIGNING_KEY_ID.in(keyIds)).execute();
  }

  private static Entry entry(SigningKeysRecord row) {
    return new Entry(
        new SigningKeyTimes(row.getSigningKeyId(), row.getCreatedAt(), row.getActiveFrom()),
        row.getPublicJwk(),
        Base64.getEncoder().encodeToString(row.getSealedPrivate()));
  }
}
