package io.headgate.kit.testing;

import io.headgate.kit.config.Secret;
import io.headgate.kit.db.PostgresAdmin;
import io.headgate.kit.db.PostgresServer;
import io.headgate.kit.db.PostgresServer.Durability;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/// The one server of this JVM's tests. `headgate.test.postgres` says which:
///
/// - `embedded`: started when first asked for, and stopped with the JVM
/// - `container`: likewise, in a container (`-Pcontainers`)
/// - `server`: runs already; `PGHOST`, `PGPORT`, `PGUSER` and `PGPASSWORD` name its superuser, as
///   Debian's `pg_virtualenv` sets them
final class TestPostgres {
  private static final String WHERE = System.getProperty("headgate.test.postgres", "embedded");

  private TestPostgres() {}

  static PostgresAdmin admin() {
    return Holder.ADMIN;
  }

  private static final class Holder {
    static final PostgresAdmin ADMIN =
        switch (WHERE) {
          case "embedded" -> embedded();
          case "container" -> ContainerPostgres.start();
          case "server" -> server(System.getenv());
          default ->
              throw new IllegalArgumentException(
                  "headgate.test.postgres is " + WHERE + ", not embedded, container or server");
        };
  }

  private static PostgresAdmin embedded() {
    try {
      Path target = Path.of("target");
      Path parent =
          Files.isDirectory(target) ? target : Path.of(System.getProperty("java.io.tmpdir"));
      Path directory = Files.createTempDirectory(parent.toAbsolutePath(), "postgres-");
      PostgresServer server = PostgresServer.start(directory, Durability.NONE);
      Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(server::delete));
      return server.admin();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static PostgresAdmin server(Map<String, String> environment) {
    String prefix =
        "jdbc:postgresql://%s:%s/"
            .formatted(environment.get("PGHOST"), environment.getOrDefault("PGPORT", "5432"));
    return new PostgresAdmin(
        database -> prefix + database,
        environment.getOrDefault("PGUSER", "postgres"),
        Secret.of(environment.get("PGPASSWORD")));
  }
}
