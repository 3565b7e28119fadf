package io.headgate.agent.container;

import io.headgate.kit.testing.Needed;
import java.io.IOException;
import java.nio.file.Files;
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

  /// The names of volumes or leases in the engine; empty when the agent has cleaned up.
  String rest() throws Exception;

  @Override
  void close() throws IOException;

  /// Opens an engine in this directory. The test is skipped, with a message, if none is installed.
  static RealEngine in(Path directory, ImageStores.Wanted store) throws Exception {
    return switch (store) {
      case PODMAN, AUTO -> RealPodman.in(directory);
      case CONTAINERD -> RealContainerd.in(directory);
      case DOCKER -> RealDocker.in(directory);
    };
  }

  /// Demands the engine, and the rights of root, without which it makes nothing.
  static void need(Path program, Needed engine) {
    engine.demand(Files.isExecutable(program));
    Needed.ROOT.demand("root".equals(System.getProperty("user.name")));
  }
}
