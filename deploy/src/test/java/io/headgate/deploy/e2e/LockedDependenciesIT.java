package io.headgate.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// The libraries that the product runs are those of `deploy/dependencies.lock`, byte for byte. An
/// exchanged or added artifact fails the build (T22). A wanted change of a library writes the file
/// anew: `deploy/lock-dependencies`.
class LockedDependenciesIT {
  private static final Path LOCK = Path.of("dependencies.lock");
  private static final Path LIBRARIES = Path.of("target/lib");

  @Test
  void everyLibraryIsTheLockedOne() throws Exception {
    Map<String, String> locked;
    try (Stream<String> lines = Files.lines(LOCK)) {
      locked =
          lines
              .map(line -> line.split("  ", 2))
              .collect(Collectors.toMap(parts -> parts[1], parts -> parts[0]));
    }

    assertThat(checksums())
        .as("a wanted change of a library: run deploy/lock-dependencies and commit the file")
        .isEqualTo(new TreeMap<>(locked));
  }

  private static Map<String, String> checksums() throws IOException {
    try (Stream<Path> files = Files.list(LIBRARIES)) {
      return files
          .filter(file -> !file.getFileName().toString().startsWith("headgate-"))
          .collect(
              Collectors.toMap(
                  file -> file.getFileName().toString(),
                  checksum(),
                  (one, _) -> one,
                  TreeMap::new));
    }
  }

  private static Function<Path, String> checksum() {
    return file -> {
      try {
        byte[] digest = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file));
        return HexFormat.of().formatHex(digest);
      } catch (IOException | GeneralSecurityException e) {
        throw new IllegalStateException("cannot read " + file, e);
      }
    };
  }
}
