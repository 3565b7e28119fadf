package io.headgate.policy.store;

import static io.headgate.policy.store.jooq.Tables.SERVICE_SECRETS;

import io.headgate.kit.db.Database;
import java.security.SecureRandom;

/// Secrets that all instances of the service share.
public final class ServiceSecrets {
  private final Database database;

  public ServiceSecrets(Database database) {
    this.database = database;
  }

  /// The secret with this name, created on first use.
  public byte[] get(String name, int length) {
    byte[] fresh = new byte[length];
    new SecureRandom().nextBytes(fresh);
    database
        .jooq()
        .insertInto(SERVICE_SECRETS)
        .set(SERVICE_SECRETS.NAME, name)
        .set(SERVICE_SECRETS.VALUE, fresh)
        .onConflictDoNothing()
        .execute();
    return database
        .jooq()
        .select(SERVICE_SECRETS.VALUE)
        .from(SERVICE_SECRETS)
        .where(SERVICE_SECRETS.NAME.eq(name))
        .fetchSingle()
        .value1();
  }
}
