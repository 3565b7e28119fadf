package io.headgate.deploy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;

/// The tenant that a data directory was last used for. The next `up` shows the jobs of this tenant
/// unless the command line names another.
final class ChosenTenant {
  private ChosenTenant() {}

  static Optional<String> read(Path directory) throws IOException {
    Path file = file(directory);
    return Files.exists(file)
        ? Optional.of(Files.readString(file).strip()).filter(tenant -> !tenant.isEmpty())
        : Optional.empty();
  }

  static void write(Path directory, String tenant) throws IOException {
    Path fresh = directory.resolve("tenant.new");
    Files.writeString(fresh, tenant + "\n");
    Files.move(fresh, file(directory), StandardCopyOption.ATOMIC_MOVE);
  }

  private static Path file(Path directory) {
    return directory.resolve("tenant");
  }
}
