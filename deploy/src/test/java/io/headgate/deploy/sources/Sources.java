package io.headgate.deploy.sources;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/// The Java sources of all modules. Generated sources are not among them.
final class Sources {
  /// The root of the repository.
  static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  private Sources() {}

  static List<Path> all() throws IOException {
    try (Stream<Path> modules = Files.list(ROOT)) {
      List<Path> roots =
          modules.map(module -> module.resolve("src")).filter(Files::isDirectory).toList();
      List<Path> sources = new ArrayList<>();
      for (Path root : roots) {
        try (Stream<Path> files = Files.walk(root)) {
          files.filter(file -> file.toString().endsWith(".java")).forEach(sources::add);
        }
      }
      return sources;
    }
  }
}
