package io.headgate.agent.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/// The cgroup v2 directories of attempts, where the machine lets this user make any.
///
/// Where it does not, supervisors find and kill what a job started by descent.
public final class Cgroups {
  private final Optional<Path> parent;

  private Cgroups(Optional<Path> parent) {
    this.parent = parent;
  }

  /// Finds the v2 hierarchy and makes a directory in it for this agent.
  ///
  /// @param name tells this agent's attempts from those of others on the machine
  public static Cgroups discover(String name) {
    try {
      Optional<Path> own = ownDirectory();
      if (own.isEmpty()) {
        return new Cgroups(Optional.empty());
      }
      Path parent = own.get().resolve("headgate-" + name);
      if (!Files.isDirectory(parent)) {
        Files.createDirectory(parent);
      }
      return Files.isWritable(parent.resolve("cgroup.procs"))
          ? new Cgroups(Optional.of(parent))
          : new Cgroups(Optional.empty());
    } catch (IOException _) {
      return new Cgroups(Optional.empty());
    }
  }

  public boolean areAvailable() {
    return parent.isPresent();
  }

  /// Makes the directory of an attempt, or finds it; empty where there are no cgroups.
  public Optional<Path> make(String attempt) {
    if (parent.isEmpty()) {
      return Optional.empty();
    }
    Path directory = parent.get().resolve(attempt);
    try {
      if (!Files.isDirectory(directory)) {
        Files.createDirectory(directory);
      }
      return Optional.of(directory);
    } catch (IOException _) {
      return Optional.empty();
    }
  }

  /// Kills all of the cgroup, then removes it if nothing is left in it.
  public static void killAndRemove(Path cgroup) throws IOException {
    if (!Files.isDirectory(cgroup)) {
      return;
    }
    Files.writeString(cgroup.resolve("cgroup.kill"), "1", StandardOpenOption.WRITE);
    try (var below = Files.newDirectoryStream(cgroup, Files::isDirectory)) {
      for (Path child : below) {
        removeTree(child);
      }
    }
    Files.deleteIfExists(cgroup);
  }

  /// Removes the agent's own directory if no attempt is left in it.
  public void removeIfEmpty() {
    parent.ifPresent(directory -> {
      try {
        Files.deleteIfExists(directory);
      } catch (IOException _) {
        // Attempts are left, and so the directory has to stay for them.
      }
    });
  }

  private static void removeTree(Path cgroup) throws IOException {
    try (var below = Files.newDirectoryStream(cgroup, Files::isDirectory)) {
      for (Path child : below) {
        removeTree(child);
      }
    }
    Files.deleteIfExists(cgroup);
  }

  private static Optional<Path> ownDirectory() throws IOException {
    Optional<Path> mount = Optional.empty();
    for (String line :
        Files.readAllLines(Path.of("/proc/self/mountinfo"), StandardCharsets.UTF_8)) {
      // "36 35 98:0 / /sys/fs/cgroup rw,... - cgroup2 cgroup2 rw": the type follows the hyphen.
      if (line.contains(" - cgroup2 ")) {
        mount = Optional.of(Path.of(line.split(" ", -1)[4]));
      }
    }
    for (String line : Files.readAllLines(Path.of("/proc/self/cgroup"), StandardCharsets.UTF_8)) {
      if (line.startsWith("0::/") && mount.isPresent()) {
        return Optional.of(mount.get().resolve(line.substring("0::/".length())));
      }
    }
    return Optional.empty();
  }
}
