package io.headgate.kit.db;

import io.headgate.kit.config.Default;
import io.headgate.kit.config.Secret;
import io.headgate.kit.config.Setting;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Pattern;

/// Access to one schema of a PostgreSQL database, by one role or, better, by two: the owner of the
/// schema migrates it, and the user reads and writes rows.
public record DatabaseConfig(
    @Setting(meaning = "JDBC URL of the database.", bound = "jdbc:postgresql://host:port/database")
        String url,
    @Setting(
            meaning =
                "Role that the service works as. Without `owner` it must own the schema, or the "
                    + "schema must be up to date.")
        String user,
    @Setting(meaning = "Password of the user.") Secret password,
    @Setting(
            meaning =
                "Schema of the service, which the owner owns: `pool`, `policy` or `scheduler`.",
            bound = "lower-case letters, digits and _; at most 63 characters")
        String schema,
    @Setting(
            meaning =
                "Second role, which owns the schema. It migrates the schema and grants the user its"
                    + " rights.",
            absent = "the user migrates the schema, if it owns it")
        Optional<Owner> owner,
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

  /// The role that owns the schema.
  public record Owner(
      @Setting(meaning = "Role that owns the schema.") String user,
      @Setting(meaning = "Password of the owner.") Secret password) {}

  /// A configuration with the defaults.
  public static DatabaseConfig of(String url, String user, Secret password, String schema) {
    return new DatabaseConfig(
        url,
        user,
        password,
        schema,
        Optional.empty(),
        16,
        Duration.ofSeconds(5),
        Duration.ofSeconds(60),
        false);
  }

  /// With a role that owns the schema, beside the user.
  public DatabaseConfig withOwner(Owner role) {
    return new DatabaseConfig(
        url,
        user,
        password,
        schema,
        Optional.of(role),
        maxConnections,
        connectTimeout,
        socketTimeout,
        allowUnsafeDurability);
  }

  /// The owner as the only role; itself where none is configured.
  public DatabaseConfig asOwner() {
    return owner
        .map(role ->
            new DatabaseConfig(
                url,
                role.user(),
                role.password(),
                schema,
                Optional.empty(),
                maxConnections,
                connectTimeout,
                socketTimeout,
                allowUnsafeDurability))
        .orElse(this);
  }

  public DatabaseConfig withMaxConnections(int connections) {
    return new DatabaseConfig(
        url,
        user,
        password,
        schema,
        owner,
        connections,
        connectTimeout,
        socketTimeout,
        allowUnsafeDurability);
  }

  /// With another limit on connecting.
  ///
  /// @param connect longest time for a new connection, and for the wait for a pooled one
  public DatabaseConfig withConnectTimeout(Duration connect) {
    return new DatabaseConfig(
        url,
        user,
        password,
        schema,
        owner,
        maxConnections,
        connect,
        socketTimeout,
        allowUnsafeDurability);
  }

  public DatabaseConfig withUnsafeDurability() {
    return new DatabaseConfig(
        url, user, password, schema, owner, maxConnections, connectTimeout, socketTimeout, true);
  }
}
