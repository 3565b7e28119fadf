package io.headgate.agent.container;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/// The machine's podman.
///
/// @param program that calls it with a store of its own
record RealPodman(Path program, Path root) implements RealEngine {
  private static final Path PODMAN = Path.of("/usr/bin/podman");

  static RealPodman in(Path directory) throws Exception {
    RealEngine.need(PODMAN, "podman");
    Path root = Files.createDirectory(directory.resolve("real"));
    Path program =
        Programs.script(
            root.resolve("podman"),
            "exec %s --root '%s' --runroot '%s' \"$@\"\n"
                .formatted(PODMAN, root.resolve("store"), root.resolve("run")));
    return new RealPodman(program, root);
  }

  /// What podman says.
  String call(String... arguments) throws Exception {
    return Programs.run(
        Stream.concat(Stream.of(program.toString()), Stream.of(arguments)).toArray(String[]::new));
  }

  @Override
  public void load(Path archive) throws Exception {
    call("load", "--quiet", "--input", archive.toString());
  }

  @Override
  public List<String> containers() throws Exception {
    return call("ps", "--all", "--quiet").lines().toList();
  }

  @Override
  public void collectGarbage() throws Exception {
    call("image", "prune", "--all", "--force");
  }

  @Override
  public String rest() throws Exception {
    return call("volume", "ls", "--quiet");
  }

  /// Podman binds its store to itself, so that nobody could delete it.
  @Override
  public void close() throws IOException {
    Programs.unmountBelow(root);
  }
}
