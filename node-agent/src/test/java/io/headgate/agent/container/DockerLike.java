package io.headgate.agent.container;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/// An engine whose program understands the words of docker's.
interface DockerLike extends RealEngine {
  /// Runs the engine's program and returns its output.
  default String call(String... arguments) throws Exception {
    return Programs.run(
        Stream.concat(Stream.of(program().toString()), Stream.of(arguments))
            .toArray(String[]::new));
  }

  @Override
  default void load(Path archive) throws Exception {
    call("load", "--quiet", "--input", archive.toString());
  }

  @Override
  default List<String> containers() throws Exception {
    return call("ps", "--all", "--quiet").lines().toList();
  }

  @Override
  default void collectGarbage() throws Exception {
    call("image", "prune", "--all", "--force");
  }

  @Override
  default String rest() throws Exception {
    return call("volume", "ls", "--quiet");
  }
}
