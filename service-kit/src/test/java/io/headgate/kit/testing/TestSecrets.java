package io.headgate.kit.testing;

import io.headgate.kit.db.DataKeyTable;
import io.headgate.kit.db.Database;
import io.headgate.kit.file.Directories;
import io.headgate.kit.seal.KeyFile;
import io.headgate.kit.seal.Seal;
import io.headgate.kit.time.TimeSource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// A directory of secrets that all services of this JVM share, as the processes of one installation
/// do. It is removed with the JVM.
public final class TestSecrets {
  private static final Path DIRECTORY = create();

  private TestSecrets() {}

  public static Path directory() {
    return DIRECTORY;
  }

  /// The seal of a schema, as another process of its service has it.
  public static Seal seal(Database database) {
    return DataKeyTable.seal(database, new KeyFile(DIRECTORY), TimeSource.system());
  }

  private static Path create() {
    try {
      Path created = Files.createTempDirectory("secrets");
      Runtime.getRuntime()
          .addShutdownHook(
              new Thread(() -> {
                try {
                  Directories.delete(created);
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              }));
      return created;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
