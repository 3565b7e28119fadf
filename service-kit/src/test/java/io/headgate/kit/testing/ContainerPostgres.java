package io.headgate.kit.testing;

import io.headgate.kit.config.Secret;
import io.headgate.kit.db.PostgresAdmin;
import org.testcontainers.postgresql.PostgreSQLContainer;
import org.testcontainers.utility.DockerImageName;

/// PostgreSQL in a container. In a class of its own, so that tests without `-Pcontainers` need no
/// Testcontainers on their class path.
final class ContainerPostgres {
  private static final String IMAGE =
      System.getProperty("headgate.test.postgres.image", "postgres:18");

  private ContainerPostgres() {}

  static PostgresAdmin start() {
    @SuppressWarnings("resource") // Stopped with the JVM, by the hook or by Testcontainers itself.
    PostgreSQLContainer container =
        new PostgreSQLContainer(DockerImageName.parse(IMAGE).asCompatibleSubstituteFor("postgres"));
    container.withCommand("postgres", "-c", "max_connections=200");
    container.start();
    Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(container::stop));
    String prefix =
        "jdbc:postgresql://" + container.getHost() + ":" + container.getMappedPort(5432) + "/";
    return new PostgresAdmin(
        database -> prefix + database, container.getUsername(), Secret.of(container.getPassword()));
  }
}
