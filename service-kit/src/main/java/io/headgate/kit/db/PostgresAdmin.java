package io.headgate.kit.db;

import io.headgate.kit.config.Secret;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Base64;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

/// Creates a schema and its two roles per service, as superuser of the server. Names are checked
/// and passwords are base64url, which prevents SQL injection.
public final class PostgresAdmin {
  private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9_]{0,62}");
  private static final String WRITER = "_writer";

  private final UnaryOperator<String> url;
  private final String superuser;
  private final Secret password;
  private final Map<String, Secret> passwords = new ConcurrentHashMap<>();

  /// @param url gives the JDBC URL of a database by its name
  public PostgresAdmin(UnaryOperator<String> url, String superuser, Secret password) {
    this.url = url;
    this.superuser = superuser;
    this.password = password;
  }

  /// Ensures that `database` has a schema named `schema` and its two roles. The role `schema` owns
  /// the schema and nothing else; the role `schema_writer` owns nothing, and [Database#open] grants
  /// it the rights to work. A schema of an earlier version already has the owner. The first call of
  /// this object for a schema sets new passwords. Concurrent callers wait for each other.
  public synchronized DatabaseConfig provision(String database, String schema) {
    requireName(database);
    requireName(schema);
    String writer = schema + WRITER;
    requireName(writer);
    try {
      if (!exists("postgres", "select 1 from pg_database where datname = '" + database + "'")) {
        execute("postgres", "create database " + database);
        execute(
            database,
            "revoke all on database " + database + " from public",
            "revoke all on schema public from public");
      }
      Secret ownerPassword = ensureRole(database, schema);
      Secret writerPassword = ensureRole(database, writer);
      execute(
          database,
          "grant connect on database " + database + " to " + schema + ", " + writer,
          "grant temporary on database " + database + " to " + schema,
          "create schema if not exists " + schema + " authorization " + schema);
      return DatabaseConfig.of(url.apply(database), writer, writerPassword, schema)
          .withOwner(new DatabaseConfig.Owner(schema, ownerPassword));
    } catch (SQLException e) {
      throw new IllegalStateException("cannot provide schema " + schema, e);
    }
  }

  private Secret ensureRole(String database, String role) throws SQLException {
    if (!exists(database, "select 1 from pg_roles where rolname = '" + role + "'")) {
      execute(database, "create role " + role + " login noinherit");
    }
    Secret known = passwords.get(role);
    if (known != null) {
      return known;
    }
    Secret fresh = randomPassword();
    execute(database, "alter role " + role + " password '" + fresh.reveal() + "'");
    passwords.put(role, fresh);
    return fresh;
  }

  /// Drops `database` and disconnects its clients.
  public void drop(String database) {
    requireName(database);
    try {
      execute("postgres", "drop database if exists " + database + " with (force)");
    } catch (SQLException e) {
      throw new IllegalStateException("cannot drop " + database, e);
    }
  }

  /// Copies the database `from` to a new database `to`, as a backup; clients of `from` are
  /// disconnected. [#provision] then gives access to the copy.
  public void copy(String from, String to) {
    requireName(from);
    requireName(to);
    try {
      execute(
          "postgres",
          "select pg_terminate_backend(pid) from pg_stat_activity where datname = '" + from + "'",
          "create database " + to + " template " + from);
      execute(to, "revoke all on database " + to + " from public");
    } catch (SQLException e) {
      throw new IllegalStateException("cannot copy " + from, e);
    }
  }

  String setting(String name) throws SQLException {
    try (Connection connection = connect("postgres");
        Statement statement = connection.createStatement();
        var row = statement.executeQuery("show " + name)) {
      row.next();
      return row.getString(1);
    }
  }

  private boolean exists(String database, String query) throws SQLException {
    try (Connection connection = connect(database);
        Statement statement = connection.createStatement();
        var row = statement.executeQuery(query)) {
      return row.next();
    }
  }

  private void execute(String database, String... statements) throws SQLException {
    try (Connection connection = connect(database);
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  private Connection connect(String database) throws SQLException {
    Properties properties = new Properties();
    properties.setProperty("user", superuser);
    properties.setProperty("password", password.reveal());
    properties.setProperty("connectTimeout", "5");
    properties.setProperty("socketTimeout", "60");
    return DriverManager.getConnection(url.apply(database), properties);
  }

  private static void requireName(String name) {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException("'" + name + "' is not " + NAME);
    }
  }

  static Secret randomPassword() {
    byte[] bytes = new byte[24];
    new SecureRandom().nextBytes(bytes);
    return Secret.of(Base64.getUrlEncoder().withoutPadding().encodeToString(bytes));
  }
}
