package io.headgate.kit.testing;

import io.headgate.kit.db.PostgresAdmin;
import io.headgate.kit.db.PostgresServer;
import io.headgate.kit.db.PostgresServer.Durability;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// The one server of this JVM's tests, started when first asked for and stopped with the JVM.
final class TestPostgres {
  private static final String WHERE = System.getProperty("headgate.test.postgres", "embedded");

  private TestPostgres() {}

  static PostgresAdmin admin() {
    return Holder.ADMIN;
  }

  private static final class Holder {
    static final PostgresAdmin ADMIN =
        WHERE.equals("container") ? ContainerPostgres.start() : embedded();
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
}
