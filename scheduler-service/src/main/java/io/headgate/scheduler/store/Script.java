package io.headgate.scheduler.store;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/// Several statements that go to the server together and cost one round trip. After one that fails,
/// the server skips the others. Their texts are constants; everything else is bound.
final class Script {
  private final StringBuilder text = new StringBuilder();
  private final List<Object> binds = new ArrayList<>();

  /// Adds a statement with scalar parameters.
  Script add(String sql, Object... parameters) {
    begin(sql);
    binds.addAll(List.of(parameters));
    return this;
  }

  /// Adds a statement over rows, if there are any.
  Script add(String sql, Columns<?> rows) {
    begin(sql);
    binds.addAll(rows.columns());
    return this;
  }

  private void begin(String sql) {
    if (!text.isEmpty()) {
      text.append(";\n");
    }
    text.append(sql);
  }

  /// Runs it.
  ///
  /// @throws SQLException a statement failed
  void run(Connection connection) throws SQLException {
    List<Array> arrays = new ArrayList<>();
    try (PreparedStatement statement = connection.prepareStatement(text.toString())) {
      for (int i = 0; i < binds.size(); i++) {
        Object bind = binds.get(i);
        if (bind instanceof Columns.Column column) {
          Array array = column.toArray(connection);
          arrays.add(array);
          statement.setArray(i + 1, array);
        } else {
          statement.setObject(i + 1, bind);
        }
      }
      // The driver reads all results of it.
      statement.execute();
    } finally {
      for (Array array : arrays) {
        array.free();
      }
    }
  }
}
