package io.headgate.agent.container;

import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/// The machine's own engine, with a store of its own below a directory of the test's.
public interface RealEngine extends AutoCloseable {
  /// The program that calls it so.
  Path program();

  /// Has it read an image.
  void load(Path archive) throws Exception;

  /// All of them, also those that do not run.
  List<String> containers() throws Exception;

  /// Removes each image that no container is made of, as its operator may at any time.
  void collectGarbage() throws Exception;

  /// What it has beside images and containers, and is to be nothing.
  String rest() throws Exception;

  @Override
  void close() throws IOException;

  /// One of them. Whoever has none is told, and tries nothing.
  static RealEngine in(Path directory, ImageStores.Wanted store) throws Exception {
    return switch (store) {
      case PODMAN, AUTO -> RealPodman.in(directory);
      case CONTAINERD -> RealContainerd.in(directory);
      case DOCKER -> RealDocker.in(directory);
    };
  }

  /// Whoever has it not is told, and tries nothing.
  static void need(Path program, String pack) {
    assumeThat(program)
        .as("%s is NOT INSTALLED, so nothing here was tried (apt-get install %s)", program, pack)
        .isExecutable();
    assumeThat(System.getProperty("user.name")).as("engines are root's").isEqualTo("root");
  }
}
