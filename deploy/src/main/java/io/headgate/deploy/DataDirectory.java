package io.headgate.deploy;

import io.headgate.sdk.cli.output.UsageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The directory with all files of `headgate up`.
final class DataDirectory {
  private DataDirectory() {}

  /// @param named by the user; null: the default directory
  /// @param variables of the environment
  static Path of(@Nullable Path named, Map<String, String> variables) {
    if (named != null) {
      return named.toAbsolutePath();
    }
    String base = variables.getOrDefault("XDG_DATA_HOME", "");
    return base.isEmpty()
        ? Path.of(variables.getOrDefault("HOME", "."), ".local", "share", "headgate")
            .toAbsolutePath()
        : Path.of(base, "headgate").toAbsolutePath();
  }

  /// Creates the directory, unless it exists.
  static void create(Path directory) {
    try {
      if (!Files.isDirectory(directory)) {
        // Output and checkpoints of jobs are private to the user of this process.
        Files.createDirectories(
            directory,
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
      }
    } catch (IOException e) {
      throw new UsageException(
          "the data directory " + directory + " cannot be created",
          "FILE_ERROR",
          "name another: headgate up --data DIR");
    }
  }
}
