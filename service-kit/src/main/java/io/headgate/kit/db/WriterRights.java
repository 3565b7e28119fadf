package io.headgate.kit.db;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import javax.sql.DataSource;

/// The rights of a service's user in a schema that another role owns. The user reads and writes
/// rows; it only adds to the audit log, and only reads the log's chain and the history of
/// migrations. Partitions are reached through their table alone.
final class WriterRights {
  private static final Map<String, Set<Right>> EXCEPTIONS =
      Map.of(
          "audit_log", EnumSet.of(Right.SELECT, Right.INSERT),
          "audit_chain", EnumSet.of(Right.SELECT),
          "audit_chain_start", EnumSet.of(Right.SELECT),
          "flyway_schema_history", EnumSet.of(Right.SELECT));
  private static final Set<Right> ROWS =
      EnumSet.of(Right.SELECT, Right.INSERT, Right.UPDATE, Right.DELETE);

  /// Two processes that start at once would else change one table's rights together, which the
  /// server refuses.
  private static final String ALONE = "select pg_advisory_xact_lock(hashtextextended(?, 0))";

  private static final String TABLES =
      """
      select relname, relispartition, relkind = 'v', %s
      from pg_class where relnamespace = ?::regnamespace and relkind in ('r', 'p', 'v')
      order by relname\
      """
          .formatted(
              EnumSet.allOf(Right.class).stream()
                  .map(right -> "has_table_privilege(?, oid, '" + right + "')")
                  .collect(Collectors.joining(", ")));

  /// The rights on a table that PostgreSQL has.
  private enum Right {
    SELECT,
    INSERT,
    UPDATE,
    DELETE,
    TRUNCATE,
    REFERENCES,
    TRIGGER
  }

  private record Relation(String name, boolean isView) {}

  private WriterRights() {}

  /// Gives `user` exactly its rights. Does nothing where it has them already.
  ///
  /// @param owner connections as the owner of the schema
  static void grant(DataSource owner, String schema, String user) {
    try (Connection connection = owner.getConnection()) {
      connection.setAutoCommit(false);
      try {
        lock(connection, schema);
        List<String> changes = new ArrayList<>();
        if (!mayUse(connection, schema, user)) {
          changes.add("grant usage on schema %s to %s".formatted(quoted(schema), quoted(user)));
        }
        rights(connection, schema, user)
            .forEach((table, has) -> changes.addAll(changes(schema, table, user, has)));
        try (Statement statement = connection.createStatement()) {
          for (String change : changes) {
            statement.execute(change);
          }
        }
        connection.commit();
      } catch (SQLException e) {
        connection.rollback();
        throw e;
      }
    } catch (SQLException e) {
      throw new IllegalStateException(
          "cannot give the role " + user + " its rights in the schema " + schema, e);
    }
  }

  private static void lock(Connection connection, String schema) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(ALONE)) {
      statement.setString(1, "headgate rights in " + schema);
      statement.execute();
    }
  }

  private static boolean mayUse(Connection connection, String schema, String user)
      throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement("select has_schema_privilege(?, ?, 'USAGE')")) {
      statement.setString(1, user);
      statement.setString(2, schema);
      try (var row = statement.executeQuery()) {
        return row.next() && row.getBoolean(1);
      }
    }
  }

  /// Tables by name; a partition is wanted without rights, and so is absent where it has none.
  private static Map<Relation, Set<Right>> rights(Connection connection, String schema, String user)
      throws SQLException {
    Map<Relation, Set<Right>> found = new LinkedHashMap<>();
    try (PreparedStatement statement = connection.prepareStatement(TABLES)) {
      int parameter = 1;
      for (Right _ : Right.values()) {
        statement.setString(parameter++, user);
      }
      statement.setString(parameter, schema);
      try (var row = statement.executeQuery()) {
        while (row.next()) {
          Set<Right> has = EnumSet.noneOf(Right.class);
          int column = 4;
          for (Right right : Right.values()) {
            if (row.getBoolean(column++)) {
              has.add(right);
            }
          }
          if (!row.getBoolean(2)) {
            found.put(new Relation(row.getString(1), row.getBoolean(3)), has);
          }
        }
      }
    }
    return found;
  }

  private static List<String> changes(String schema, Relation table, String user, Set<Right> has) {
    Set<Right> wanted =
        table.isView() ? EnumSet.of(Right.SELECT) : EXCEPTIONS.getOrDefault(table.name(), ROWS);
    if (has.equals(wanted)) {
      return List.of();
    }
    String name = quoted(schema) + "." + quoted(table.name());
    return List.of(
        "revoke all on table %s from %s".formatted(name, quoted(user)),
        "grant %s on table %s to %s"
            .formatted(
                wanted.stream()
                    .map(right -> right.name().toLowerCase(Locale.ROOT))
                    .collect(Collectors.joining(", ")),
                name,
                quoted(user)));
  }

  private static String quoted(String identifier) {
    return '"' + identifier.replace("\"", "\"\"") + '"';
  }
}
