package io.headgate.agent.process;

import io.headgate.kit.testing.Needed;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// The walls that a test needs around its jobs.
public final class NeededWalls {
  private NeededWalls() {}

  /// Demands users, namespaces, networks and system call filters of a job's own.
  ///
  /// @param directory for the program that tries them
  public static void demand(Path directory) throws Exception {
    WallProbe probe = WallProbe.run(SupervisorBinary.extract(directory), Cgroups.none());
    Needed.WALLS.demand(
        List.of(
                WallProbe.Wall.USER,
                WallProbe.Wall.NAMESPACES,
                WallProbe.Wall.NETWORK,
                WallProbe.Wall.SYSCALLS)
            .stream()
            .map(probe::problem)
            .allMatch(Optional::isEmpty));
  }
}
