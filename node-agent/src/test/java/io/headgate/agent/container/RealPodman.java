package io.headgate.agent.container;

import io.headgate.kit.testing.Needed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// The machine's podman.
///
/// @param program that calls it with a store of its own
record RealPodman(Path program, Path root) implements DockerLike {
  private static final Path PODMAN = Path.of("/usr/bin/podman");

  static RealPodman in(Path directory) throws Exception {
    RealEngine.need(PODMAN, Needed.PODMAN);
    Path root = Files.createDirectory(directory.resolve("real"));
    Path program =
        Programs.script(
            root.resolve("podman"),
            "exec %s --root '%s' --runroot '%s' \"$@\"\n"
                .formatted(PODMAN, root.resolve("store"), root.resolve("run")));
    return new RealPodman(program, root);
  }

  /// Podman binds its store to itself, and a mount point cannot be deleted.
  @Override
  public void close() throws IOException {
    Programs.unmountBelow(root);
  }
}
