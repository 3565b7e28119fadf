package io.headgate.agent;

import io.headgate.agent.container.Containers;
import io.headgate.agent.runtime.ContainerUse;
import io.headgate.agent.runtime.JobWalls.Wanted;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/// Jobs with an image. They take all walls: users and namespaces of their own.
///
/// @param use whether the node runs such jobs
/// @param podman where images come from
/// @param cdi where container engines look for devices that come and go
/// @param lend files and directories of the machine that all containers find at their place,
///   read-only: the libraries of a GPU driver
/// @param pullTimeout how long an image may take
public record ContainersConfig(
    Wanted use, Path podman, Path cdi, List<Path> lend, Duration pullTimeout) {
  public static final ContainersConfig DEFAULTS = of(Wanted.AUTO);

  public static final ContainersConfig NONE = of(Wanted.NONE);

  public ContainersConfig {
    lend = List.copyOf(lend);
    for (Path path : lend) {
      if (!path.isAbsolute() || !path.normalize().equals(path) || path.getNameCount() == 0) {
        throw new IllegalArgumentException(
            "containers.lend: %s is not an absolute path without '..'".formatted(path));
      }
    }
    if (!podman.isAbsolute() || !cdi.isAbsolute()) {
      throw new IllegalArgumentException("containers: podman and cdi are absolute paths");
    }
    if (pullTimeout.compareTo(Duration.ofSeconds(1)) < 0) {
      throw new IllegalArgumentException("containers.pull-timeout: at least 1s");
    }
  }

  private static ContainersConfig of(Wanted use) {
    return new ContainersConfig(
        use,
        Path.of("/usr/bin/podman"),
        Path.of("/var/run/cdi"),
        List.of(),
        Duration.ofMinutes(30));
  }

  /// As the runtime knows them.
  public ContainerUse settings() {
    return new ContainerUse(use, new Containers.Settings(podman, cdi, lend, pullTimeout));
  }
}
