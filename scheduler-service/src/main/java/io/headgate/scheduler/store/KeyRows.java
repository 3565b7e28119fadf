package io.headgate.scheduler.store;

import io.headgate.scheduler.runtime.record.StoredKeys;
import io.headgate.scheduler.runtime.submission.KnownKeys;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.function.Consumer;
import org.jooq.DSLContext;

/// Reads keys of two columns, however many there are, in portions.
///
/// @param all query for the keys
/// @param howMany query for how many there are
record KeyRows(DSLContext sql, String all, String howMany) implements StoredKeys {
  private static final int PORTION = 10_000;

  @Override
  public void forEach(Consumer<String> each) {
    sql.transaction(transaction ->
        transaction
            .dsl()
            .connection(connection -> {
              try (Statement statement = connection.createStatement()) {
                // Without a transaction all rows would come at once.
                statement.setFetchSize(PORTION);
                read(statement, each);
              }
            }));
  }

  private void read(Statement statement, Consumer<String> each) throws SQLException {
    try (ResultSet rows = statement.executeQuery(all)) {
      while (rows.next()) {
        each.accept(KnownKeys.key(rows.getString(1), rows.getString(2)));
      }
    }
  }

  @Override
  public long count() {
    return sql.fetchSingle(howMany).get(0, long.class);
  }
}
