package io.headgate.scheduler.store;

import static io.headgate.scheduler.store.jooq.Tables.SECRET;

import java.security.SecureRandom;
import org.jooq.DSLContext;

/// Random bytes that all replicas share and that survive them.
public final class SharedSecret {
  private SharedSecret() {}

  /// The secret called `name`. The first call creates it.
  public static byte[] of(DSLContext sql, String name, int length) {
    byte[] fresh = new byte[length];
    new SecureRandom().nextBytes(fresh);
    sql.insertInto(SECRET, SECRET.NAME, SECRET.VALUE)
        .values(name, fresh)
        .onConflictDoNothing()
        .execute();
    return sql.select(SECRET.VALUE).from(SECRET).where(SECRET.NAME.eq(name)).fetchSingle().value1();
  }
}
