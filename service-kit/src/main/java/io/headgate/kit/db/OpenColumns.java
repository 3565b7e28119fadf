package io.headgate.kit.db;

import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.noCondition;
import static org.jooq.impl.DSL.row;
import static org.jooq.impl.DSL.sql;
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

  private static final int REPORTED_EVERY = 100;

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
  /// @param bound further values of the row's place, as SQL expressions over the row
  public record Column(
      String table, List<String> key, List<String> bound, String open, String sealed) {
    public Column {
      key = List.copyOf(key);
      bound = List.copyOf(bound);
    }

    /// A column whose place is the primary key.
    public Column(String table, List<String> key, String open, String sealed) {
      this(table, key, List.of(), open, sealed);
    }
  }

  /// The meaning of a stored value.
  @FunctionalInterface
  public interface Meaning {
    byte[] of(byte[] stored, SealedPlace place);
  }

  /// The rows of a batch that were sealed.
  ///
  /// @param last key of the last one; empty: there was none
  private record Batch(int rows, List<Object> last) {}

  /// Seals all values of `column`. Returns at once where there are none.
  public void seal(Column column) {
    seal(column, (stored, _) -> stored);
  }

  /// The same for values that were stored in another form.
  public void seal(Column column, Meaning meaning) {
    long sealed = 0;
    // A pass may leave values behind, if another process held them.
    while (isOpen(column)) {
      sealed = pass(column, meaning, sealed);
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

  /// Goes through the rows in the order of the key once, so that no batch reads again what the ones
  /// before have emptied.
  private long pass(Column column, Meaning meaning, long sealedBefore) {
    long sealed = sealedBefore;
    List<Object> after = List.of();
    for (int batches = 1; ; batches++) {
      List<Object> from = after;
      Batch batch =
          database.transaction(Reach.EVERY_TENANT, dsl -> batch(dsl, column, meaning, from));
      if (batch.rows() == 0) {
        return sealed;
      }
      sealed += batch.rows();
      after = batch.last();
      if (batches % REPORTED_EVERY == 0) {
        LOG.info("sealed {} values of {}.{} so far", sealed, database.schema(), column.table());
      }
    }
  }

  private Batch batch(DSLContext dsl, Column column, Meaning meaning, List<Object> after) {
    List<Field<Object>> key = column.key().stream().map(each -> field(name(each))).toList();
    List<Field<Object>> place = new ArrayList<>(key);
    for (int i = 0; i < column.bound().size(); i++) {
      place.add(field("({0})", Object.class, sql(column.bound().get(i))).as("bound_" + i));
    }
    Field<Object> open = field(name(column.open()));
    List<Query> updates = new ArrayList<>();
    List<Object> last = List.of();
    for (Record row :
        dsl.select(place)
            .select(open)
            .from(table(name(column.table())))
            .where(open.isNotNull())
            .and(after.isEmpty() ? noCondition() : row(key).gt(row(after)))
            .orderBy(key)
            .limit(BATCH)
            .forUpdate()) {
      SealedPlace sealedPlace =
          new SealedPlace(
              column.table(),
              column.sealed(),
              place.stream().map(each -> String.valueOf(row.get(each))).toList());
      byte[] sealed = seal.seal(meaning.of(bytes(row.get(open)), sealedPlace), sealedPlace);
      updates.add(
          dsl.update(table(name(column.table())))
              .set(field(name(column.sealed()), byte[].class), sealed)
              .setNull(open)
              .where(key.stream().map(each -> each.eq(row.get(each))).toList()));
      last = key.stream().<Object>map(row::get).toList();
    }
    dsl.batch(updates).execute();
    return new Batch(updates.size(), last);
  }

  private static byte[] bytes(Object stored) {
    return stored instanceof String text ? text.getBytes(StandardCharsets.UTF_8) : (byte[]) stored;
  }
}
