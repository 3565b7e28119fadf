package io.headgate.agent.container;

import io.headgate.agent.process.DurableFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;

/// Where engines look for specifications that come and go: one file for each attempt, whole or
/// absent. Others have theirs there too.
///
/// @param directory `/var/run/cdi`
/// @param owner of the files that this one knows, first part of their devices' names
record CdiDirectory(Path directory, String owner) {
  private static final String PREFIX = CdiSpec.KIND.replace('/', '-') + "-";
  private static final String SUFFIX = ".json";

  void write(CdiSpec spec) throws IOException {
    Files.createDirectories(directory);
    DurableFile.replaceReadable(file(spec.name()), spec.toJson().getBytes(StandardCharsets.UTF_8));
  }

  void remove(String name) throws IOException {
    Files.deleteIfExists(file(name));
  }

  /// Removes the owner's files of all other devices, and unfinished files of a killed agent.
  void retain(Set<String> names) throws IOException {
    if (!Files.isDirectory(directory)) {
      return;
    }
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, PREFIX + owner + ".*")) {
      for (Path file : files) {
        if (names.stream().noneMatch(name -> file.equals(file(name)))) {
          Files.deleteIfExists(file);
        }
      }
    }
  }

  private Path file(String name) {
    return directory.resolve(PREFIX + name + SUFFIX);
  }
}
