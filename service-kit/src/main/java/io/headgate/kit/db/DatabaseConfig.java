package io.headgate.kit.db;

import io.headgate.kit.config.Default;
import io.headgate.kit.config.Secret;
import io.headgate.kit.config.Setting;
import java.time.Duration;
import java.util.regex.Pattern;

/// Access to one schema of a PostgreSQL database.
public record DatabaseConfig(
    @Setting(meaning = "JDBC URL of the database.", bound = "jdbc:postgresql://host:port/database")
        String url,
    @Setting(meaning = "User of the database.") String user,
    @Setting(meaning = "Password of the user.") Secret password,
    @Setting(
            meaning =
                "Schema of the service, which the user owns: `pool`, `policy` " + "or `scheduler`.",
            bound = "lower-case letters, digits and _; at most 63 characters")
        String schema,
    @Setting(meaning = "Most connections to the database.", bound = "at least 1") @Default("16")
        int maxConnections,
    @Setting(
            meaning = "Longest time for a new connection, and for the wait for a " + "pooled one.",
            bound = "above 0")
        @Default("5s")
        Duration connectTimeout,
    @Setting(
            meaning = "Longest time for one answer; then the connection is closed.",
            bound = "above 0")
        @Default("60s")
        Duration socketTimeout,
    @Setting(
            meaning =
                "Accept a server with `fsync` or `synchronous_commit` off. A "
                    + "crash of that server loses acknowledged work: for tests and "
                    + "demos only.")
        @Default("false")
        boolean allowUnsafeDurability) {

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
