package io.headgate.policy.store;

import static io.headgate.policy.store.jooq.Tables.SIGNING_KEYS;

import io.headgate.kit.config.Secret;
import io.headgate.kit.seal.KeyMissingException;
import io.headgate.kit.seal.Seal;
import io.headgate.kit.seal.SealedPlace;
import io.headgate.policy.core.signing.SigningKeyTimes;
import io.headgate.policy.runtime.port.SigningKeyTable;
import io.headgate.policy.store.jooq.tables.records.SigningKeysRecord;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.jooq.DSLContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Rows of `signing_keys`.
final class PostgresSigningKeys implements SigningKeyTable {
  private static final Logger LOG = LoggerFactory.getLogger(PostgresSigningKeys.class);

  private final DSLContext dsl;
  private final Seal seal;

  PostgresSigningKeys(DSLContext dsl, Seal seal) {
    this.dsl = dsl;
    this.seal = seal;
  }

  @Override
  public List<Entry> list() {
    return dsl.selectFrom(SIGNING_KEYS)
        .orderBy(SIGNING_KEYS.ACTIVE_FROM, SIGNING_KEYS.SIGNING_KEY_ID)
        .fetch(this::entry);
  }

  @Override
  public List<SigningKeyTimes> lock() {
    // An empty table has no rows to lock. The table lock does not block readers.
    dsl.execute("lock table signing_keys in share row exclusive mode");
    return dsl.selectFrom(SIGNING_KEYS)
        .orderBy(SIGNING_KEYS.ACTIVE_FROM, SIGNING_KEYS.SIGNING_KEY_ID)
        .fetch(PostgresSigningKeys::times);
  }

  @Override
  public void insert(Entry entry) {
    dsl.insertInto(SIGNING_KEYS)
        .set(SIGNING_KEYS.SIGNING_KEY_ID, entry.times().keyId())
        .set(SIGNING_KEYS.PUBLIC_JWK, entry.publicJwk())
        .set(
            SIGNING_KEYS.SEALED_PRIVATE,
            seal.sealText(entry.privateJwk().orElseThrow().reveal(), place(entry.times().keyId())))
        .set(SIGNING_KEYS.CREATED_AT, entry.times().createdAt())
        .set(SIGNING_KEYS.ACTIVE_FROM, entry.times().activeFrom())
        .execute();
  }

  @Override
  public void delete(Collection<String> keyIds) {
    dsl.deleteFrom(SIGNING_KEYS).where(SIGNING_KEYS.SIGNING_KEY_ID.in(keyIds)).execute();
  }

  private Entry entry(SigningKeysRecord row) {
    return new Entry(times(row), row.getPublicJwk(), opened(row).map(Secret::of));
  }

  /// One key that does not open takes nothing from the others.
  private Optional<String> opened(SigningKeysRecord row) {
    try {
      return seal.tryOpenText(row.getSealedPrivate(), place(row.getSigningKeyId()));
    } catch (KeyMissingException e) {
      LOG.error("the signing key {} is unknown here: {}", row.getSigningKeyId(), e.getMessage());
      return Optional.empty();
    }
  }

  private static SigningKeyTimes times(SigningKeysRecord row) {
    return new SigningKeyTimes(row.getSigningKeyId(), row.getCreatedAt(), row.getActiveFrom());
  }

  private static SealedPlace place(String keyId) {
    return SealedPlace.of("signing_keys", "sealed_private", keyId);
  }
}
