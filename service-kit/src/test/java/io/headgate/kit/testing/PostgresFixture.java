package io.headgate.kit.testing;

import io.headgate.kit.db.Database;
import io.headgate.kit.db.DatabaseConfig;
import io.headgate.kit.db.PostgresAdmin;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import org.flywaydb.core.Flyway;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/// A real PostgreSQL for a test class: one server a JVM, a fresh database a class, with the schema
/// of a service migrated. Embedded by default: see [TestPostgres].
///
/// ```java
/// @RegisterExtension static final PostgresFixture POSTGRES = PostgresFixture.of("pool");
/// ```
public final class PostgresFixture implements BeforeAllCallback, AfterAllCallback {
  private static final AtomicInteger NUMBER = new AtomicInteger();

  private final String schema;
  private @Nullable Database database;
  private @Nullable DatabaseConfig config;
  private @Nullable String name;

  private PostgresFixture(String schema) {
    this.schema = schema;
  }

  /// Migrated by `classpath:db/migration/<schema>`.
  public static PostgresFixture of(String schema) {
    return new PostgresFixture(schema);
  }

  /// The open database of the running test class, with the rights of the schema's owner, which sees
  /// all rows.
  public Database database() {
    return required(database);
  }

  /// How a service connects to it, with both roles.
  public DatabaseConfig config() {
    return required(config);
  }

  /// Another database with the same schema, not yet migrated, on the same server; it is dropped
  /// with the JVM.
  public DatabaseConfig fresh() {
    return provision(nextName("fresh"));
  }

  /// Another database with the schema as an earlier version of the product left it.
  ///
  /// @param version of its last migration
  public DatabaseConfig before(String version) {
    DatabaseConfig earlier = fresh();
    DatabaseConfig owner = earlier.asOwner();
    Flyway.configure()
        .dataSource(owner.url(), owner.user(), owner.password().reveal())
        .schemas(schema)
        .defaultSchema(schema)
        .locations("classpath:db/migration/" + schema)
        .target(version)
        .load()
        .migrate();
    return earlier;
  }

  /// Executes a statement as the owner of the schema, without migrating it.
  public static void execute(DatabaseConfig config, String statement, Object... values) {
    DatabaseConfig owner = config.asOwner();
    try (Connection connection =
            DriverManager.getConnection(owner.url(), owner.user(), owner.password().reveal());
        PreparedStatement prepared = connection.prepareStatement(statement)) {
      connection.setSchema(owner.schema());
      for (int i = 0; i < values.length; i++) {
        prepared.setObject(i + 1, values[i]);
      }
      prepared.execute();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /// A copy of another of its databases, which must have no connections; it is dropped with the
  /// JVM.
  public DatabaseConfig copyOf(DatabaseConfig other) {
    String url = other.url().replaceFirst("\\?.*", "");
    String copy = nextName("copy");
    admin().copy(url.substring(url.lastIndexOf('/') + 1), copy);
    return provision(copy);
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    name = nextName(context.getRequiredTestClass().getSimpleName());
    config = provision(name);
    Database.open(config).close();
    database = Database.open(config.asOwner());
  }

  @Override
  public void afterAll(ExtensionContext context) {
    if (database != null) {
      database.close();
    }
    if (name != null) {
      admin().drop(name);
    }
  }

  /// A connection may take as long to come as a machine needs that does ten other things at once.
  private DatabaseConfig provision(String databaseName) {
    return admin()
        .provision(databaseName, schema)
        .withConnectTimeout(Duration.ofMinutes(1))
        .withUnsafeDurability();
  }

  private static PostgresAdmin admin() {
    return TestPostgres.admin();
  }

  private static String nextName(String base) {
    String plain = base.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]", "_");
    // Several JVMs may share one server.
    return "t%d_%d_%s"
        .formatted(
            ProcessHandle.current().pid(),
            NUMBER.incrementAndGet(),
            plain.substring(0, Math.min(40, plain.length())));
  }

  private static <T> T required(@Nullable T value) {
    if (value == null) {
      throw new IllegalStateException("the fixture is used outside of its test class");
    }
    return value;
  }
}
