package io.headgate.kit.db;

import io.headgate.kit.config.Default;
import io.headgate.kit.config.Secret;
import java.time.Duration;
import java.util.regex.Pattern;

/// Access to one schema of a PostgreSQL database.
///
/// @param url a JDBC URL, `jdbc:postgresql://host:port/database`
/// @param schema the schema that the user owns; its migrations are in
///   `classpath:db/migration/<schema>`
/// @param maxConnections upper bound of the pool
/// @param connectTimeout longest time for a new connection, and for the wait for a pooled one
/// @param socketTimeout longest time for one answer; then the connection is closed
/// @param allowUnsafeDurability accept a server with `fsync` or `synchronous_commit` off, which
///   loses acknowledged work in a crash: for tests and throw-away demos
public record DatabaseConfig(
    String url,
    String user,
    Secret password,
    String schema,
    @Default("16") int maxConnections,
    @Default("5s") Duration connectTimeout,
    @Default("60s") Duration socketTimeout,
    @Default("false") boolean allowUnsafeDurability) {

  private static final Pattern SCHEMA = Pattern.compile("[a-z][a-z0-9_]{0,62}");

  public DatabaseConfig {
    if (!url.startsWith("jdbc:postgresql://")) {
      throw new IllegalArgumentException(
          "url: write jdbc:postgresql://host:port/database, not '" + url + "'");
    }
    if (!SCHEMA.matcher(schema).matches()) {
      throw new IllegalArgumentException("schema: '" + schema + "' is not " + SCHEMA);
    }
    if (maxConnections < 1) {
      throw new IllegalArgumentException("max-connections: at least 1, not " + maxConnections);
    }
    if (!connectTimeout.isPositive() || !socketTimeout.isPositive()) {
      throw new IllegalArgumentException("connect-timeout and socket-timeout are above zero");
    }
  }

  /// A configuration with the defaults.
  public static DatabaseConfig of(String url, String user, Secret password, String schema) {
    return new DatabaseConfig(
        url, user, password, schema, 16, Duration.ofSeconds(5), Duration.ofSeconds(60), false);
  }

  public DatabaseConfig withMaxConnections(int connections) {
    return new DatabaseConfig(
        url,
        user,
        password,
        schema,
        connections,
        connectTimeout,
        socketTimeout,
        allowUnsafeDurability);
  }

  public DatabaseConfig withUnsafeDurability() {
    return new DatabaseConfig(
        url, user, password, schema, maxConnections, connectTimeout, socketTimeout, true);
  }
}
