package io.headgate.kit.db;

import io.headgate.kit.db.PostgresServer.Durability;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.util.concurrent.CountDownLatch;

/// The main class of a JVM that starts a server, commits a row and is then killed by the test.
final class KilledOwner {
  private KilledOwner() {}

  public static void main(String[] arguments) throws Exception {
    PostgresServer server =
        PostgresServer.start(Path.of(arguments[0]), Durability.valueOf(arguments[1]));
    DatabaseConfig database = server.provision("shop", "shelf").asOwner();
    String url = database.url() + "?currentSchema=shelf";
    try (var connection =
            DriverManager.getConnection(url, database.user(), database.password().reveal());
        var statement = connection.createStatement()) {
      statement.execute("create table t (n int)");
      statement.execute("insert into t values (42)");
    }
    System.out.println("ready");
    new CountDownLatch(1).await();
  }
}
