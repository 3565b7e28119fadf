package io.headgate.kit.db;

import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.table;

import io.headgate.kit.seal.Seal;
import io.headgate.kit.seal.SealedPlace;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Query;
import org.jooq.Record;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Seals the values that an earlier version stored in clear text, before the service starts. Each
/// batch is a transaction, so a start that is interrupted loses nothing, and the next one goes on.
public final class OpenColumns {
  /// Bounds the time of a transaction.
  private static final int BATCH = 500;

  private static final Logger LOG = LoggerFactory.getLogger(OpenColumns.class);

  private final Database database;
  private final Seal seal;

  public OpenColumns(Database database, Seal seal) {
    this.database = database;
    this.seal = seal;
  }

  /// A column in clear text, and the one that takes its values.
  ///
  /// @param key columns of the primary key
  public record Column(String table, List<String> key, String open, String sealed) {
    public Column {
      key = List.copyOf(key);
    }
  }

  /// The meaning of a stored value.
  @FunctionalInterface
  public interface Meaning {
    byte[] of(byte[] stored, SealedPlace place);
  }

  /// Seals all values of `column`. Returns at once where there are none.
  public void seal(Column column) {
    seal(column, (stored, _) -> stored);
  }

  /// The same for values that were stored in another form.
  public void seal(Column column, Meaning meaning) {
    long sealed = 0;
    // A batch may be empty although values are left, if another process took them first.
    while (isOpen(column)) {
      sealed += batch(column, meaning);
    }
    if (sealed > 0) {
      LOG.info(
          "sealed {} values of {}.{}; older backups still have them in clear text",
          sealed,
          database.schema(),
          column.table());
    }
  }

  private boolean isOpen(Column column) {
    return database.transaction(
        Reach.EVERY_TENANT,
        dsl ->
            dsl.fetchExists(table(name(column.table())), field(name(column.open())).isNotNull()));
  }

  private int batch(Column column, Meaning meaning) {
    return database.transaction(Reach.EVERY_TENANT, dsl -> batch(dsl, column, meaning));
  }

  private int batch(DSLContext dsl, Column column, Meaning meaning) {
    List<Field<Object>> key = column.key().stream().map(each -> field(name(each))).toList();
    Field<Object> open = field(name(column.open()));
    List<Query> updates = new ArrayList<>();
    for (Record row :
        dsl.select(key)
            .select(open)
            .from(table(name(column.table())))
            .where(open.isNotNull())
            .orderBy(key)
            .limit(BATCH)
            .forUpdate()) {
      SealedPlace place =
          new SealedPlace(
              column.table(),
              column.sealed(),
              key.stream().map(each -> String.valueOf(row.get(each))).toList());
      byte[] sealed = seal.seal(meaning.of(bytes(row.get(open)), place), place);
      updates.add(
          dsl.update(table(name(column.table())))
              .set(field(name(column.sealed()), byte[].class), sealed)
              .setNull(open)
              .where(key.stream().map(each -> each.eq(row.get(each))).toList()));
    }
    dsl.batch(updates).execute();
    return updates.size();
  }

  private static byte[] bytes(Object stored) {
    return stored instanceof String text ? text.getBytes(StandardCharsets.UTF_8) : (byte[]) stored;
  }
}
