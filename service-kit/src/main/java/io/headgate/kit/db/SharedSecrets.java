package io.headgate.kit.db;

import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.table;

import io.headgate.kit.lifecycle.CannotStartException;
import io.headgate.kit.seal.BrokenSealException;
import io.headgate.kit.seal.Seal;
import io.headgate.kit.seal.SealedPlace;
import java.security.SecureRandom;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.Table;

/// Random bytes that all processes of a service share and that survive them, sealed in the
/// database. Thread-safe.
public final class SharedSecrets {
  private static final SecureRandom RANDOM = new SecureRandom();
  private static final String VALUE = "value";

  private final Database database;
  private final Seal seal;
  private final String table;
  private final String key;

  /// @param table has the column `value` beside the key
  /// @param key column with the secret's name
  public SharedSecrets(Database database, Seal seal, String table, String key) {
    this.database = database;
    this.seal = seal;
    this.table = table;
    this.key = key;
  }

  /// The secret called `secret`. The first call creates it.
  ///
  /// @param length in bytes
  public byte[] get(String secret, int length) {
    Table<Record> rows = table(name(table));
    Field<String> named = field(name(key), String.class);
    Field<byte[]> value = field(name(VALUE), byte[].class);
    SealedPlace place = SealedPlace.of(table, VALUE, secret);
    byte[] fresh = new byte[length];
    RANDOM.nextBytes(fresh);
    database
        .jooq()
        .insertInto(rows, named, value)
        .values(secret, seal.seal(fresh, place))
        .onConflictDoNothing()
        .execute();
    byte[] sealed =
        database.jooq().select(value).from(rows).where(named.eq(secret)).fetchSingle().value1();
    try {
      return seal.open(sealed, place);
    } catch (BrokenSealException e) {
      throw new CannotStartException(
          e.getMessage() + "; delete this row, and the next start makes a new one", e);
    }
  }
}
