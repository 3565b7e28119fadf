package io.headgate.kit.db;

import com.zaxxer.hikari.HikariDataSource;
import io.headgate.kit.lifecycle.CannotStartException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.MigrationInfo;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Brings a schema to the version of this build, as the role that may.
final class Migration {
  private static final Logger LOG = LoggerFactory.getLogger(Migration.class);

  /// Flyway holds one connection for its lock and one for the scripts.
  private static final int CONNECTIONS = 2;

  /// A role that creates a schema owns it, so an absent schema is no obstacle.
  private static final String MAY_ALTER =
      """
      select r.rolsuper or coalesce(pg_has_role(current_user, n.nspowner, 'USAGE'), true)
      from pg_roles r left join pg_namespace n on n.nspname = ?
      where r.rolname = current_user\
      """;

  private Migration() {}

  /// Migrates as the owner where one is configured, and else as the user if it owns the schema.
  ///
  /// @param user connections of the service's user
  /// @throws CannotStartException if the schema is old and no configured role may change it
  static void run(DatabaseConfig config, DataSource user) {
    DatabaseConfig owner = config.asOwner();
    if (!owner.user().equals(config.user())) {
      try (HikariDataSource own = patient(owner)) {
        flyway(own, config.schema()).migrate();
        WriterRights.grant(own, config.schema(), config.user());
      }
      if (mayAlter(user, config.schema())) {
        warn(config, "database.user has the rights of an owner");
      }
    } else if (mayAlter(user, config.schema())) {
      warn(config, "database.owner is not set");
      try (HikariDataSource own = patient(config)) {
        flyway(own, config.schema()).migrate();
      }
    } else {
      requireCurrent(config, user);
    }
  }

  /// A statement over a large table takes longer than any answer to a caller may.
  private static HikariDataSource patient(DatabaseConfig role) {
    return Database.connectPatiently(role.withMaxConnections(CONNECTIONS));
  }

  private static void warn(DatabaseConfig config, String why) {
    LOG.warn(
        "{}: the role {} may alter each table of the schema {}, its audit log too, and sees all"
            + " tenants; give the service two roles (docs/operations/database-roles.md)",
        why,
        config.user(),
        config.schema());
  }

  private static void requireCurrent(DatabaseConfig config, DataSource user) {
    MigrationInfo[] pending = flyway(user, config.schema()).info().pending();
    if (pending.length > 0) {
      throw new CannotStartException(
          "the schema "
              + config.schema()
              + " lacks the migrations "
              + Arrays.stream(pending)
                  .map(script -> String.valueOf(script.getVersion()))
                  .collect(Collectors.joining(", "))
              + ", and the role "
              + config.user()
              + " does not own it: set database.owner.user and database.owner.password, at least"
              + " for this start");
    }
  }

  private static boolean mayAlter(DataSource user, String schema) {
    try (Connection connection = user.getConnection();
        PreparedStatement statement = connection.prepareStatement(MAY_ALTER)) {
      statement.setString(1, schema);
      try (var row = statement.executeQuery()) {
        return row.next() && row.getBoolean(1);
      }
    } catch (SQLException e) {
      throw new IllegalStateException("cannot read the rights of the role", e);
    }
  }

  private static Flyway flyway(DataSource role, String schema) {
    return Flyway.configure(Database.class.getClassLoader())
        .dataSource(role)
        .schemas(schema)
        .defaultSchema(schema)
        .locations("classpath:db/migration/" + schema)
        .failOnMissingLocations(true)
        .validateMigrationNaming(true)
        .cleanDisabled(true)
        .load();
  }
}
